#if Collection

/// A further tag of a catalogue's queries.
package enum FieldTag: Hashable, Sendable {
  /// The tag asks about a field as it was sent, because no detail has the value. The field has these
  /// names; those in older records come last.
  case field([String], SearchField.Kind)
  /// An older name of a search tag, whose value has this sign.
  case compared(SearchTag, TagOperand.Sign)
  /// A tag for which records have no field.
  case unanswered
}

#endif
