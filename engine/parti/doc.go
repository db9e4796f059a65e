// Package parti shows deployments of Parti (github.com/arloliu/parti, versions 1 and 2) as
// groups: a leader shares partitions among workers through KV buckets.
//
// A deployment is found by the metadata of its buckets, by their names or by the shape of
// their keys ([Kind.Follow]). What its buckets hold is decoded leniently: its sources changed
// between releases, so fields that are not known and newer schemas are taken as they are,
// and said. What is deduced and stored nowhere is marked as inferred.
//
// Two things can be written, and nothing else: see [Writer].
package parti
