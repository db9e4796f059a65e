//go:build !race

package parti

const raced = false
