package model

import "strconv"

// Thousands writes a number for people, with a comma between thousands: 14,212. JSON and
// the columns of the report have plain numbers.
func Thousands[N int | int64 | uint64](n N) string {
	digits, minus := strconv.FormatUint(uint64(n), 10), ""
	if n < 0 {
		digits, minus = strconv.FormatUint(-uint64(n), 10), "-"
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return minus + digits
}
