package model

import (
	"math"
	"testing"
)

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", 14212: "14,212", 100000: "100,000", 1234567: "1,234,567",
		-1: "-1", -999: "-999", -1000: "-1,000", math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := Thousands(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if got := Thousands(uint64(math.MaxUint64)); got != "18,446,744,073,709,551,615" {
		t.Error(got)
	}
	if got := Count(1068, "message"); got != "1,068 messages" {
		t.Error(got)
	}
}
