package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Ranges writes ascending numbers as people do: 0-4,15.
func Ranges(numbers []int) string {
	var b strings.Builder
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(numbers[i]))
		if j > i {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(numbers[j]))
		}
		i = j + 1
	}
	return b.String()
}

// Letter is the sign of the i-th member on the partition map: A to Z, then AA on.
func Letter(i int) string {
	if i < 0 {
		return "·"
	}
	s := ""
	for i++; i > 0; i = (i - 1) / 26 {
		s = string(rune('A'+(i-1)%26)) + s
	}
	return s
}

// Count writes a number of things in words: 1 partition, 2 partitions, 1,024 partitions.
func Count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + one + "s"
}

// ParseRanges reads what [Ranges] writes, in any order: 0-4,15. Blanks are ignored.
func ParseRanges(text string) ([]int, error) {
	var numbers []int
	for _, part := range strings.Split(text, ",") {
		low, high, span := strings.Cut(strings.TrimSpace(part), "-")
		a, err := strconv.Atoi(strings.TrimSpace(low))
		b := a
		if err == nil && span {
			b, err = strconv.Atoi(strings.TrimSpace(high))
		}
		if err != nil || a < 0 || b < a || b >= MaxPartitions {
			return nil, fmt.Errorf("%q is no partition number or range such as 0-4", part)
		}
		for p := a; p <= b; p++ {
			numbers = append(numbers, p)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), nil
}
