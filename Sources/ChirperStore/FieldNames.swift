import ChirperModel
import GRDB

/// The field names a catalogue has sent, kept so that an export's header is known before its rows are read.
struct FieldNames {
  private let catalogueID: Int64
  /// Sequences of names that are known to be noted; most pages have one.
  private var shapes: Set<UInt64> = []

  init(catalogueID: Int64) {
    self.catalogueID = catalogueID
  }

  mutating func note(_ fields: RecordingFields, _ db: Database) throws {
    var shape: UInt64 = 0
    fields.forEach { name, _ in
      shape = shape &* 0x9E37_79B9_7F4A_7C15 ^ ByteScan.hash(UnsafeBufferPointer(rebasing: name))
    }
    guard shapes.insert(shape).inserted else { return }
    for name in fields.names {
      try SQLStatement(db, "INSERT INTO field (catalogue_id, name) VALUES (?, ?) ON CONFLICT DO NOTHING")
        .run(.int(catalogueID), .text(name))
    }
  }
}

extension RecordingStore {
  /// The names of the fields a catalogue has sent, in the order of their coming.
  package func fieldNames(of catalogue: CatalogueID) throws(StoreError) -> [String] {
    try read { db in
      var names: [String] = []
      try SQLStatement(
        db, "SELECT field.name FROM field JOIN catalogue USING (catalogue_id) WHERE catalogue.name = ? ORDER BY field_id"
      ).forEach(.text(catalogue.rawValue)) { names.append($0.text(0)) }
      return names
    }
  }
}
