/// The parts of a catalogue's recordings that change without meaning.
package struct VolatileFields: Sendable {
  /// The fields that do not count, by name or path.
  let names: Set<String>
  /// The texts in those fields that count all the same.
  var counted: @Sendable (RecordingFields) -> [String] = { _ in [] }
  /// The effect of a record on the stored one if either was imported; `nil` if neither was.
  package var merge:
    @Sendable (_ id: RecordingID, _ stored: RecordingFields, _ new: RecordingFields) -> RecordMerge? =
      { _, _, _ in nil }
}

extension VolatileFields: ExpressibleByArrayLiteral {
  package init(arrayLiteral names: String...) { self.init(names: Set(names)) }
}

extension RecordingFields {
  /// Whether both say the same: the order of names in objects does not count, nor do volatile
  /// fields, apart from the texts in them that count.
  ///
  /// A name can be a path at any depth: `taxon.count` is a name in the object `taxon`, or in each
  /// of the objects of an array of that name.
  package func saysSame(as other: RecordingFields, ignoring volatile: VolatileFields) -> Bool {
    guard let own = try? canonical(without: volatile.names),
      let others = try? other.canonical(without: volatile.names)
    else { return false }
    return own == others && volatile.counted(self) == volatile.counted(other)
  }

  /// The object without the fields of these names or paths, as RFC 8785 orders and escapes it, with
  /// numbers as they are spelled.
  package func canonical(without names: Set<String>) throws(JSONFault) -> [UInt8] {
    var reader = JSONReader(bytes)
    var text = [UInt8]()
    try Self.copySorted(&reader, into: &text, without: names, below: "")
    return text
  }

  /// Copies the next value with the members of each object in the order of their names.
  private static func copySorted(
    _ reader: inout JSONReader, into text: inout [UInt8], without names: Set<String>,
    below path: String
  ) throws(JSONFault) {
    switch reader.kind {
    case .object:
      var members: [(name: String, value: [UInt8])] = []
      try reader.object { name, reader throws(JSONFault) in
        guard !names.contains(path + name) else { return try reader.skipValue() }
        var value: [UInt8] = []
        try copySorted(&reader, into: &value, without: names, below: path + name + ".")
        members.append((name, value))
      }
      members.sort { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
      text += "{".utf8
      for (index, member) in members.enumerated() {
        if index > 0 { text += ",".utf8 }
        JSONText.append(plainlyQuoted: member.name, to: &text)
        text += ":".utf8
        text += member.value
      }
      text += "}".utf8
    case .array:
      text += "[".utf8
      let start = text.count
      try reader.array { item throws(JSONFault) in
        if text.count > start { text += ",".utf8 }
        try copySorted(&item, into: &text, without: names, below: path)
      }
      text += "]".utf8
    case .string:
      let start = text.count
      try reader.copyValue(into: &text)
      guard text[start...].contains(UInt8(ascii: "\\")) else { return }
      let string = JSONText.unescaped(text[(start + 1)..<(text.count - 1)])
      text.removeSubrange(start...)
      JSONText.append(plainlyQuoted: string, to: &text)
    default: try reader.copyValue(into: &text)
    }
  }
}
