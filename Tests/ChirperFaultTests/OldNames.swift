import ChirperTestSupport

/// Goes with the commit that gives every test the new name.
typealias FaultCatalogue = FakeXenoCanto
