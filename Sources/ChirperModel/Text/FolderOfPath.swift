extension String {
  /// The folder of a path, without a slash at its end: `/a` of `/a/b`, `/` of `/b`, an empty text
  /// of `b`.
  ///
  /// Not `NSString.deletingLastPathComponent`: on Linux it ends the program for names of one
  /// character.
  package var folderOfPath: String {
    // By bytes, because a slash and a combining mark after it are one character.
    let slash = UInt8(ascii: "/")
    var path = utf8[...]
    while path.count > 1, path.last == slash { path.removeLast() }
    guard let end = path.lastIndex(of: slash) else { return "" }
    var folder = path[..<end]
    while folder.last == slash { folder.removeLast() }
    return folder.isEmpty ? "/" : String(Substring(folder))
  }
}
