package model

// Rule is one thing that can be wrong with a group.
type Rule struct {
	ID       string   // stable
	Severity Severity // the usual one; a rule may find something to be less bad
	Verdict  Verdict  // the verdict it leads to unless it is information only; empty: none
	About    string   // what it means, in a line

	find func(*view) []Finding // pure; fills in text and hint, and what differs from the rule
}

// Rules lists every rule, those of the worse verdicts first.
func Rules() []Rule { return rules() }

func rules() []Rule {
	return []Rule{
		{"unreadable", Critical, VerdictUnreadable, "the stored config cannot be read or is not valid", unreadable},
		{"stream-offline", Critical, VerdictOffline, "the server has the stream but cannot run it", streamOffline},
		{"no-quorum", Critical, VerdictOffline, "so many of a stream's servers are down that nothing is stored or delivered", noQuorum},
		{"no-work-stream", Critical, VerdictBroken, "an elastic group without its work stream", noWorkStream},
		{"no-stream", Critical, VerdictBroken, "a static group without its stream", noStream},
		{"no-origin", Critical, VerdictBroken, "the stream that feeds an elastic group is gone", noOrigin},
		{"origin-anew", Critical, VerdictBroken, "the stream that feeds an elastic group was made anew, and sourcing waits for sequences that are long to come", originAnew},
		{"not-our-stream", Critical, VerdictBroken, "two groups want one work stream, which belongs to the other", notOurStream},
		{"config-differs", Critical, VerdictBroken, "config and work stream disagree about filters or partitions", configDiffers},
		{"nothing-matches", Critical, VerdictBroken, "no subject that the stream stores matches the group's filters: it is empty for ever", nothingMatches},
		{"stamp-differs", Critical, VerdictBroken, "the stream of a static group makes another number of partitions, or puts them elsewhere", stampDiffers},
		{"filters-differ", Critical, VerdictBroken, "a consumer's filters are not those of its member", filtersDiffer},
		{"stalled", Critical, VerdictStalled, "messages wait, and nothing was acknowledged for twice the ack wait", stalled},
		{"behind", Warning, VerdictBehind, "the lag grows over the window where members consume, while messages are acknowledged", growing},
		{"sourcing-stopped", Warning, VerdictDegraded, "messages wait at the origin and none is sourced", sourcingStopped},
		{"buffer-full", Warning, VerdictDegraded, "the work stream is at its limit and messages wait at the origin", bufferFull},
		{"sourcing-behind", Warning, VerdictDegraded, "the work stream does not keep up with the origin", sourcingBehind},
		{"offline", Warning, VerdictDegraded, "the server has a consumer but cannot run it", offline},
		{"no-answer", Warning, VerdictDegraded, "nobody answers for a member's consumer: it has no leader, or its server is down", noAnswer},
		{"absent", Warning, VerdictDegraded, "a member that owns partitions has no consumer: nobody runs it", absent},
		{"unowned", Warning, VerdictDegraded, "partitions that no member owns", unowned},
		{"cannot-run", Warning, VerdictDegraded, "a stored member name that no consumer can have", cannotRun},
		{"collision", Warning, VerdictDegraded, "a consumer's name belongs to another group", collision},
		{"stuck-unacked", Warning, VerdictDegraded, "messages were delivered, are not acknowledged, and nobody pulls", stuckUnacked},
		{"no-pull", Warning, VerdictDegraded, "a member's consumer from which nobody pulls", noPull},
		{"nothing-acked", Warning, VerdictDegraded, "a member acknowledged nothing with its new consumer yet, and it did not consume before, or messages wait for twice the ack wait", nothingAcked},
		{"paused", Warning, VerdictDegraded, "a member's consumer is paused", paused},
		{"not-pinned", Warning, VerdictDegraded, "messages wait, instances pull, and nobody is pinned", notPinned},
		{"flapping", Warning, VerdictDegraded, "the pin goes from instance to instance more than three times a minute", flapping},
		{"passed-over", Warning, VerdictDegraded, "messages in a member's partitions that no consumer counts: its filters were changed in place, or it gave up on them", passedOver},
		{"redelivering", Warning, VerdictDegraded, "messages are delivered again and again", redelivering},
		{"ack-wait-short", Warning, "", "an ack wait below 2 s makes pins flap", ackWaitShort},
		{"unread", Info, "", "the consumers could not be read", unread},
		{"server-down", Info, "", "a server that holds the stream is down", serverDown},
		{"whale", Info, "", "one partition holds most of the lag", whale},
		{"no-standby", Info, "", "a member with one instance: nobody takes over", noStandby},
		{"partial-mapping", Info, "", "mappings leave partitions out, which some libraries refuse", partialMapping},
		{"orbit-cannot-start", Info, "", "mappings with several filters, with which members of orbit cannot start", orbitCannotStart},
		{"no-partition", Info, "", "more members than partitions", noPartition},
		{"foreign", Info, "", "a consumer that nobody configured", foreign},
	}
}
