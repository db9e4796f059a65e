package observe

import (
	"context"
	"strings"

	"pcgtop/engine/pcgroups"
	"pcgtop/model"
)

// BucketName is the KV bucket that the configs of a kind are stored in, by whatever
// library.
func BucketName(kind model.Kind) string { return string(kind) + "-consumer-groups" }

// configs is a kind of pcgroups: each of its groups is a config in the kind's bucket.
type configs struct{ kind model.Kind }

func (c configs) Name() model.Kind { return c.kind }

func (c configs) Follow(ctx context.Context, a Account, ready func()) error {
	return a.Bucket(ctx, BucketName(c.kind), configLedger{c.kind, a}, ready)
}

// configLedger turns what a config bucket tells into observations, and has the streams
// of its groups read.
type configLedger struct {
	kind    model.Kind
	account Account
}

func (c configLedger) Appeared(_ Stream, lost []string, anew bool) {
	c.forget(lost)
	c.account.Emit(model.BucketSeen{Kind: c.kind, Exists: true, Reset: anew})
}

func (c configLedger) Vanished(lost []string, was bool) {
	c.forget(lost)
	c.account.Emit(model.BucketSeen{Kind: c.kind, Exists: false, Reset: was})
}

func (c configLedger) Refused(why string) {
	c.account.Emit(model.BucketSeen{Kind: c.kind, Problem: why})
}

func (c configLedger) forget(keys []string) {
	for _, key := range keys {
		c.account.Forget(model.ParseKey(c.kind, key))
	}
}

func (c configLedger) Took(records []Record) {
	observations := make([]model.Observation, 0, len(records))
	for _, r := range records {
		k := model.ParseKey(c.kind, r.Key)
		if r.Removed {
			observations = append(observations, model.ConfigGone{Key: k, Revision: r.Revision, At: r.At})
			continue
		}
		observations = append(observations, configSeen(k, r))
	}
	c.account.Emit(observations...)
	for _, r := range records {
		if k := model.ParseKey(c.kind, r.Key); r.Removed {
			c.account.Forget(k)
		} else {
			c.account.Reads(k, k.ConsumeStream())
		}
	}
}

func (c configLedger) Dropped(keys []string) {
	for _, key := range keys {
		k := model.ParseKey(c.kind, key)
		c.account.Emit(model.ConfigGone{Key: k, At: c.account.Now()})
		c.account.Forget(k)
	}
}

func configSeen(k model.Key, r Record) model.ConfigSeen {
	o := model.ConfigSeen{Key: k, Revision: r.Revision, Written: r.At, Raw: string(r.Value)}
	config, err := pcgroups.DecodeConfig(k.Kind, r.Value)
	if err != nil && (k.Kind != model.KindStatic || !config.Partial()) { // some libraries take static mappings with gaps
		o.Problem = strings.TrimSpace(err.Error())
	} else {
		o.Config = &config
	}
	return o
}
