/// A real species of which the sample catalogue makes up recordings.
struct SampleSpecies: Sendable {
  let genus: String
  let epithet: String
  let englishName: String
  let countries: [String]

  var name: String { "\(genus) \(epithet)" }

  /// The species in taxonomic order, as xeno-canto lists them.
  static let all: [SampleSpecies] = table.split(separator: "\n").map { line in
    let cells = line.split(separator: "|").map(String.init)
    return SampleSpecies(
      genus: cells[0], epithet: cells[1], englishName: cells[2],
      countries: cells[3].split(separator: ",").map(String.init))
  }

  private static let table = """
    Anser|anser|Greylag Goose|Poland,Sweden,Germany
    Cygnus|cygnus|Whooper Swan|Finland,Sweden,Poland
    Coturnix|coturnix|Common Quail|Spain,Poland,France
    Caprimulgus|europaeus|European Nightjar|Poland,United Kingdom,Spain
    Apus|apus|Common Swift|Germany,Italy,Poland
    Cuculus|canorus|Common Cuckoo|Poland,France,United Kingdom
    Columba|palumbus|Common Wood Pigeon|Netherlands,Germany,United Kingdom
    Crex|crex|Corn Crake|Poland,Ireland,Lithuania
    Grus|grus|Common Crane|Sweden,Germany,Poland
    Numenius|arquata|Eurasian Curlew|United Kingdom,Netherlands,Poland
    Larus|fuscus|Lesser Black-backed Gull|Netherlands,United Kingdom,Norway
    Larus|argentatus|European Herring Gull|Denmark,United Kingdom,Poland
    Botaurus|stellaris|Eurasian Bittern|Poland,Netherlands,Latvia
    Tyto|alba|Western Barn Owl|Spain,France,United Kingdom
    Strix|aluco|Tawny Owl|Poland,Germany,Italy
    Bubo|bubo|Eurasian Eagle-Owl|Germany,Spain,Norway
    Alcedo|atthis|Common Kingfisher|France,Poland,Italy
    Dryocopus|martius|Black Woodpecker|Poland,Sweden,Germany
    Dendrocopos|major|Great Spotted Woodpecker|Poland,Germany,Sweden
    Falco|tinnunculus|Common Kestrel|Spain,Poland,Germany
    Strigops|habroptila|Kakapo|New Zealand
    Nestor|notabilis|Kea|New Zealand
    Cacatua|galerita|Sulphur-crested Cockatoo|Australia,Indonesia
    Nymphicus|hollandicus|Cockatiel|Australia
    Psittacus|erithacus|Grey Parrot|Cameroon,Gabon,Ghana
    Poicephalus|senegalus|Senegal Parrot|Senegal,Gambia,Ghana
    Poicephalus|meyeri|Meyer's Parrot|Zambia,Kenya,Botswana
    Poicephalus|robustus|Cape Parrot|South Africa
    Amazona|amazonica|Orange-winged Amazon|Brazil,Suriname,Colombia
    Amazona|vittata|Puerto Rican Parrot|Puerto Rico
    Pionus|menstruus|Blue-headed Parrot|Peru,Brazil,Costa Rica
    Pionus|senilis|White-crowned Parrot|Mexico,Costa Rica,Panama
    Deroptyus|accipitrinus|Red-fan Parrot|Brazil,Guyana,Suriname
    Rhynchopsitta|pachyrhyncha|Thick-billed Parrot|Mexico
    Cyanoliseus|patagonus|Burrowing Parrot|Argentina,Chile
    Ara|ararauna|Blue-and-yellow Macaw|Brazil,Bolivia,Peru
    Myiopsitta|monachus|Monk Parakeet|Argentina,Spain,Brazil
    Polytelis|swainsonii|Superb Parrot|Australia
    Alisterus|scapularis|Australian King Parrot|Australia
    Eclectus|polychloros|Papuan Eclectus Parrot|Papua New Guinea,Australia
    Psephotus|haematonotus|Red-rumped Parrot|Australia
    Neophema|chrysogaster|Orange-bellied Parrot|Australia
    Pezoporus|wallicus|Eastern Ground Parrot|Australia
    Psittacula|krameri|Rose-ringed Parakeet|India,United Kingdom,Senegal
    Oriolus|oriolus|Eurasian Golden Oriole|Poland,Italy,Spain
    Corvus|corax|Northern Raven|Poland,Norway,Spain
    Parus|major|Great Tit|Poland,Germany,United Kingdom
    Alauda|arvensis|Eurasian Skylark|Poland,United Kingdom,Germany
    Hirundo|rustica|Barn Swallow|Poland,Spain,Germany
    Phylloscopus|collybita|Common Chiffchaff|Poland,Germany,France
    Sylvia|atricapilla|Eurasian Blackcap|Poland,Italy,Germany
    Troglodytes|troglodytes|Eurasian Wren|United Kingdom,Poland,Norway
    Turdus|merula|Common Blackbird|Poland,Germany,United Kingdom
    Turdus|philomelos|Song Thrush|Poland,Sweden,United Kingdom
    Erithacus|rubecula|European Robin|United Kingdom,Poland,Spain
    Luscinia|luscinia|Thrush Nightingale|Poland,Latvia,Finland
    Luscinia|megarhynchos|Common Nightingale|France,Germany,Spain
    Passer|domesticus|House Sparrow|Poland,Spain,Germany
    Fringilla|coelebs|Common Chaffinch|Poland,Sweden,Germany
    Emberiza|citrinella|Yellowhammer|Poland,Sweden,Germany
    """
}
