import ChirperModel
import Testing

@Suite struct PartialDateTests {
  @Test(arguments: [
    ("2024-05-17", "2024-05-17"), ("2024-05-17T07:30:00Z", "2024-05-17"),
    ("2024-05-17 07:30", "2024-05-17"),
    ("2024-02-29", "2024-02-29"), ("2000-02-29", "2000-02-29"), ("0800-12-31", "0800-12-31"),
    ("2009-05-00", "2009-05"), ("2024-05", "2024-05"), ("2004-00-00", "2004"), ("2004", "2004"),
    ("2004-00-17", "2004"),
  ])
  func `a date is read as precisely as it is known`(text: String, read: String) {
    #expect(PartialDate(text)?.description == read)
  }

  @Test(arguments: [
    "", "0000-00-00", "0000-05-17", "2021-02-30", "1900-02-29", "2021-04-31", "2021-13-01",
    "2021-05-32", "2021-00-32",
    "21-05-17", "20210-05-17", "2021-5-17", "2021-05-7", "2021-05-017", "2021-05-", "2021-",
    "2021-05-17x", "-021-05-17",
    "2021/05/17", "17.05.2021", "2021-+5-17", "２０２１-05-17", "today", "T",
  ])
  func `a text that is not a date is not read`(text: String) {
    #expect(PartialDate(text) == nil)
  }

  @Test func `an unknown part comes before every known one`() throws {
    let dates = try ["2023-12-31", "2024", "2024-05", "2024-05-01", "2024-05-02"].map {
      try #require(PartialDate($0))
    }
    #expect(dates.reversed().sorted() == dates)
  }
}

@Suite struct TimeOfDayTests {
  @Test(arguments: [
    ("07:30", "07:30"), ("9:30", "09:30"), ("06.00", "06:00"), ("02.45", "02:45"),
    ("00:00", "00:00"), ("23:59", "23:59"),
    ("07:30:15", "07:30"), ("9:45am", "09:45"), ("2:15 pm", "14:15"), ("2:15 PM", "14:15"),
    ("12:10 am", "00:10"),
    ("12:10 pm", "12:10"), ("18:22:20.513+02:00", "18:22"), ("08:30:51-07:00", "08:30"),
    ("08:30:51.5", "08:30"), ("07:30+02:00", "07:30"), ("14:07-0600", "14:07"), ("0530", "05:30"),
    ("630", "06:30"), ("07:30:15+02", "07:30"), ("0530+0200", "05:30"),
  ])
  func `a time that can mean one thing only is read`(text: String, read: String) {
    #expect(PartialDate.TimeOfDay(text)?.description == read)
  }

  @Test(arguments: [
    "", "?", "11", "11:20 AST", "morning", "xx:xx", "24:00", "07:60", "07:30:60", "7:3", "007:30",
    "0-30", "02--00", "7-10",
    "07:30-08:00", "07:30.15", "13:00 pm", "0:30 am", "07:30  pm", "07:30 p", ":30", "07:", "-7:30",
    "6.5", "٠٧:٣٠",
    "10:18:00Z", "0530Z", "07:30:15+2:00", "07:30-08", "2460", "1860", "05300", "05:30-6000",
    "07:30:15.+02:00", "07:30:15+15:00",
    "07.30.15.5",
  ])
  func `what would need a guess is not read`(text: String) {
    #expect(PartialDate.TimeOfDay(text) == nil)
  }

  @Test func `times are ordered by hour and minute`() throws {
    let times = try ["00:05", "09:00", "09:01", "10:00"].map {
      try #require(PartialDate.TimeOfDay($0))
    }
    #expect(times.reversed().sorted() == times)
  }
}

@Suite struct RecordingDetailsTests {
  @Test(arguments: [(90.0, 180.0), (-90, -180), (0, 0), (-0.0, 12.5)])
  func `a coordinate within range is kept`(latitude: Double, longitude: Double) {
    #expect(
      RecordingDetails.Coordinate(latitude: latitude, longitude: longitude)?.latitude == latitude)
  }

  @Test(arguments: [(91.5, 0.0), (0, 180.5), (-90.1, 0), (.nan, 0), (0, .infinity)])
  func `a coordinate out of range is none`(latitude: Double, longitude: Double) {
    #expect(RecordingDetails.Coordinate(latitude: latitude, longitude: longitude) == nil)
  }

  @Test func `the better rating is the greater`() {
    #expect(RecordingDetails.Quality.allCases.sorted() == [.e, .d, .c, .b, .a])
  }

  @Test func `the credit names recordist, number and licence, or that there is no licence`() {
    var details = RecordingDetails()
    #expect(details.credit == "no licence given")
    details.recordedBy = "A. Smith"
    details.catalogNumber = "XC1"
    #expect(details.credit == "A. Smith, XC1, no licence given")
    details.licence = RecordingDetails.Licence(creativeCommonsCode: "by", version: "4.0")
    #expect(details.credit == "A. Smith, XC1, CC BY 4.0")
  }

  @Test func `the credit is one line whatever was sent`() {
    var details = RecordingDetails()
    details.recordedBy = "A.\r\n\u{1B}[2J Smith\u{202E}\u{2028}"
    details.licence = RecordingDetails.Licence(other: "all\trights\nreserved")
    #expect(details.credit == "A. [2J Smith, all rights reserved")
    details.recordedBy = "\n"
    details.licence = RecordingDetails.Licence(other: "\0")
    #expect(details.credit == "no licence given")
  }
}

@Suite struct CountKeyTests {
  @Test func `a number that no recording has is in no group`() throws {
    let numbers: [Double] = [.nan, .infinity, -.infinity, 1e300, -1e300, 0x1p63, -60, 0.5]
    // The months 0, 13, 14 and 15 of 2024, each with a day.
    let dates = [0, 13, 14, 15].map { Double(2024 << 9 | $0 << 5 | 17) }
    for key in CountKey.all where key.numbers != nil && key.name != "length" {
      for number in numbers where number != -60 || key.name != "year" {
        #expect(key.group(of: number) == nil, "\(key.name)")
      }
      for number in dates where key.name == "month" || key.name == "week" {
        #expect(key.group(of: number) == nil)
      }
    }
    let day = try #require(PartialDate(year: 2024, month: 12, day: 31))
    let groups = CountKey.all.filter { ["year", "month", "week"].contains($0.name) }.map {
      $0.group(of: Double(day.packed))
    }
    #expect(groups.sorted { $0 ?? 0 < $1 ?? 0 } == [12, 53, 2024])
  }
}
