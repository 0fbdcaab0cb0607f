import Testing

@testable import ChirperServer

struct QRCodeTests {
  /// Made with qrcode 8.2 (Python) with the same mask; each row is a number in base 16 whose lowest
  /// bit is the last module.
  private static let codes = [
    (
      "http://[::1]/",
      """
      1fcb7f 104e41 175b5d 174a5d 17455d 104141 1fd57f 1b00 1dfec4 10ac1 1345b7 148d92 1846a8 1bf3 1fd517 105490 \
      1756aa 174cfa 175f15 1054ba 1fd98b
      """
    ),
    (
      "http://127.0.0.1:8642/#abcd",
      """
      1fc9b7f 1047a41 175d75d 174e15d 174435d 1048741 1fd557f 1da00 1df7cc4 1ca6c61 6491c7 8b3962 a41f6b f09ce9 \
      126cdb7 f20aea 124ddf8 1d11f 1fd9b53 105cf19 1759df0 1749b94 1758e99 1052f9a 1fdd963
      """
    ),
    (
      "http://192.168.1.20:8642/#0123456789abcdef",
      """
      1fc9637f 1047be41 175d165d 174e535d 1744735d 10482241 1fd5557f 1daa00 1df6aec4 13068069 f68c9f7 3b2dcea 5f18e6b \
      1793886d d5b1d03 3bd9e9a 36e8c43 2968ce5 12d4058b e2ef8ea 16458df0 138d17 1fd3975b 1051bf1b 17524df8 17420f9b \
      175c8e9d 10560b8a 1fdd0dcb
      """
    ),
    (
      "http://192.168.100.200:8642/#c19c8adc9c5b0e78b9ae4a6b3ecfcbcb",
      """
      1fc963f7f 104727641 175d3035d 174e6235d 17446a75d 10483a241 1fd55557f 1d8af00 1df6588c4 7361886d 1a489dd41 \
      a8218d1a 6c11dc41 15ab95c65 c674455b 199cfeba 15da58e63 c0258465 7788454b 129a3cc8a 1fc519a6b a2b998e9 137b40dbf \
      b99ceeea 11564edf8 164c51f 1fd09075f 105a08b18 1755199fa 174399a99 175f55591 1051dfdba 1fda4d923
      """
    ),
    (
      "http://[2001:db8:85a3::8a2e:370:7334]:65535/#c19c8adc9c5b0e78b9ae4a6b3ecfcbcb",
      """
      1fc63fb7f 104277341 17530045d 17462325d 1746a725d 1043a3241 1fd55557f 18acc00 1df588cc4 133188c6d 4c9dc801 \
      15118feaa 11d1dcd41 1bb15cd45 ac04451b b0cffaca 5658ce43 3b984445 106045d0b bb7cd8b2 1dfd98e6f 13998c6d \
      14c80d9fb 80cecc2a 15f0eeff8 14c4d1b 1fd904f53 10508bf18 17599adfa 17499bd1a 175d55d17 1059ffdaa 1fd4d8ddb
      """
    ),
  ]

  @Test(arguments: codes) func `codes of every size are those of another encoder`(
    text: String, rows: String
  ) throws {
    let code = try #require(QRCode(text))
    let numbers = code.rows.map { row in row.reduce(UInt64(0)) { $0 << 1 | ($1 ? 1 : 0) } }
    #expect(numbers.map { String($0, radix: 16) }.joined(separator: " ") == rows)
  }

  @Test func `a text that is too long has no code`() {
    #expect(
      QRCode(String(repeating: "a", count: 106)) != nil
        && QRCode(String(repeating: "a", count: 107)) == nil)
  }

  @Test func `a line of a terminal has two rows, with a light border`() throws {
    let lines = try #require(QRCode("http://[::1]/")).terminalLines
    #expect(
      lines.count == 15 && lines[0] == "\u{1B}[30;107m\(String(repeating: " ", count: 29))\u{1B}[0m"
    )
    #expect(lines[2].hasPrefix("\u{1B}[30;107m    █▀▀▀▀▀█ "))
  }
}
