/// A real species of which the sample catalogue makes up recordings.
struct SampleSpecies: Sendable {
  let genus: String
  let epithet: String
  let englishName: String
  let family: String
  let countries: [String]

  var name: String { "\(genus) \(epithet)" }

  /// The species in taxonomic order, as xeno-canto lists them.
  static let all: [SampleSpecies] = table.split(separator: "\n").map { line in
    let cells = line.split(separator: "|").map(String.init)
    return SampleSpecies(
      genus: cells[0], epithet: cells[1], englishName: cells[2], family: cells[3],
      countries: cells[4].split(separator: ",").map(String.init))
  }

  private static let table = """
    Anser|anser|Greylag Goose|Anatidae|Poland,Sweden,Germany
    Cygnus|cygnus|Whooper Swan|Anatidae|Finland,Sweden,Poland
    Coturnix|coturnix|Common Quail|Phasianidae|Spain,Poland,France
    Caprimulgus|europaeus|European Nightjar|Caprimulgidae|Poland,United Kingdom,Spain
    Apus|apus|Common Swift|Apodidae|Germany,Italy,Poland
    Cuculus|canorus|Common Cuckoo|Cuculidae|Poland,France,United Kingdom
    Columba|palumbus|Common Wood Pigeon|Columbidae|Netherlands,Germany,United Kingdom
    Crex|crex|Corn Crake|Rallidae|Poland,Ireland,Lithuania
    Grus|grus|Common Crane|Gruidae|Sweden,Germany,Poland
    Numenius|arquata|Eurasian Curlew|Scolopacidae|United Kingdom,Netherlands,Poland
    Larus|fuscus|Lesser Black-backed Gull|Laridae|Netherlands,United Kingdom,Norway
    Larus|argentatus|European Herring Gull|Laridae|Denmark,United Kingdom,Poland
    Botaurus|stellaris|Eurasian Bittern|Ardeidae|Poland,Netherlands,Latvia
    Tyto|alba|Western Barn Owl|Tytonidae|Spain,France,United Kingdom
    Strix|aluco|Tawny Owl|Strigidae|Poland,Germany,Italy
    Bubo|bubo|Eurasian Eagle-Owl|Strigidae|Germany,Spain,Norway
    Alcedo|atthis|Common Kingfisher|Alcedinidae|France,Poland,Italy
    Dryocopus|martius|Black Woodpecker|Picidae|Poland,Sweden,Germany
    Dendrocopos|major|Great Spotted Woodpecker|Picidae|Poland,Germany,Sweden
    Falco|tinnunculus|Common Kestrel|Falconidae|Spain,Poland,Germany
    Strigops|habroptila|Kakapo|Strigopidae|New Zealand
    Nestor|notabilis|Kea|Strigopidae|New Zealand
    Cacatua|galerita|Sulphur-crested Cockatoo|Cacatuidae|Australia,Indonesia
    Nymphicus|hollandicus|Cockatiel|Cacatuidae|Australia
    Psittacus|erithacus|Grey Parrot|Psittacidae|Cameroon,Gabon,Ghana
    Poicephalus|senegalus|Senegal Parrot|Psittacidae|Senegal,Gambia,Ghana
    Poicephalus|meyeri|Meyer's Parrot|Psittacidae|Zambia,Kenya,Botswana
    Poicephalus|robustus|Cape Parrot|Psittacidae|South Africa
    Amazona|amazonica|Orange-winged Amazon|Psittacidae|Brazil,Suriname,Colombia
    Amazona|vittata|Puerto Rican Parrot|Psittacidae|Puerto Rico
    Pionus|menstruus|Blue-headed Parrot|Psittacidae|Peru,Brazil,Costa Rica
    Pionus|senilis|White-crowned Parrot|Psittacidae|Mexico,Costa Rica,Panama
    Deroptyus|accipitrinus|Red-fan Parrot|Psittacidae|Brazil,Guyana,Suriname
    Rhynchopsitta|pachyrhyncha|Thick-billed Parrot|Psittacidae|Mexico
    Cyanoliseus|patagonus|Burrowing Parrot|Psittacidae|Argentina,Chile
    Ara|ararauna|Blue-and-yellow Macaw|Psittacidae|Brazil,Bolivia,Peru
    Myiopsitta|monachus|Monk Parakeet|Psittacidae|Argentina,Spain,Brazil
    Polytelis|swainsonii|Superb Parrot|Psittaculidae|Australia
    Alisterus|scapularis|Australian King Parrot|Psittaculidae|Australia
    Eclectus|polychloros|Papuan Eclectus Parrot|Psittaculidae|Papua New Guinea,Australia
    Psephotus|haematonotus|Red-rumped Parrot|Psittaculidae|Australia
    Neophema|chrysogaster|Orange-bellied Parrot|Psittaculidae|Australia
    Pezoporus|wallicus|Eastern Ground Parrot|Psittaculidae|Australia
    Psittacula|krameri|Rose-ringed Parakeet|Psittaculidae|India,United Kingdom,Senegal
    Oriolus|oriolus|Eurasian Golden Oriole|Oriolidae|Poland,Italy,Spain
    Corvus|corax|Northern Raven|Corvidae|Poland,Norway,Spain
    Parus|major|Great Tit|Paridae|Poland,Germany,United Kingdom
    Alauda|arvensis|Eurasian Skylark|Alaudidae|Poland,United Kingdom,Germany
    Hirundo|rustica|Barn Swallow|Hirundinidae|Poland,Spain,Germany
    Phylloscopus|collybita|Common Chiffchaff|Phylloscopidae|Poland,Germany,France
    Sylvia|atricapilla|Eurasian Blackcap|Sylviidae|Poland,Italy,Germany
    Troglodytes|troglodytes|Eurasian Wren|Troglodytidae|United Kingdom,Poland,Norway
    Turdus|merula|Common Blackbird|Turdidae|Poland,Germany,United Kingdom
    Turdus|philomelos|Song Thrush|Turdidae|Poland,Sweden,United Kingdom
    Erithacus|rubecula|European Robin|Muscicapidae|United Kingdom,Poland,Spain
    Luscinia|luscinia|Thrush Nightingale|Muscicapidae|Poland,Latvia,Finland
    Luscinia|megarhynchos|Common Nightingale|Muscicapidae|France,Germany,Spain
    Passer|domesticus|House Sparrow|Passeridae|Poland,Spain,Germany
    Fringilla|coelebs|Common Chaffinch|Fringillidae|Poland,Sweden,Germany
    Emberiza|citrinella|Yellowhammer|Emberizidae|Poland,Sweden,Germany
    """
}
