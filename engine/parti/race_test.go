//go:build race

package parti

const raced = true // everything takes longer
