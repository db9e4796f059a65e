package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"

	"pcgtop/engine/observe"
	"pcgtop/model"
)

// Inspect reads what there is about a group as it is: the stored config, what the
// server says of its streams, and of one member's consumer if a member is named. What
// cannot be read is a document with a problem. It asks the server anew, up to four
// times.
func (e *Engine) Inspect(ctx context.Context, k model.Key, member string) []model.Document {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	if g := e.Current().Group(k); g != nil && !slices.Contains(model.Founded(), k.Kind) {
		return e.inspectTold(ctx, g, member)
	}
	docs := []model.Document{e.storedConfig(ctx, k)}
	if k.Kind == model.KindElastic {
		docs = append(docs, e.answer(ctx, "work stream", "STREAM.INFO."+k.ConsumeStream()), e.answer(ctx, "origin stream", "STREAM.INFO."+k.Stream))
	} else {
		docs = append(docs, e.answer(ctx, "stream", "STREAM.INFO."+k.Stream))
	}
	if member != "" {
		docs = append(docs, e.answer(ctx, "consumer of "+member, "CONSUMER.INFO."+k.ConsumeStream()+"."+k.ConsumerName(member)))
	}
	return docs
}

// inspectTold is [Engine.Inspect] for a group that its kind tells.
func (e *Engine) inspectTold(ctx context.Context, g *model.Group, member string) []model.Document {
	stored := model.Document{Title: fmt.Sprintf("stored, revision %d", g.Revision), From: "what is known of " + g.Key.String(), Text: g.Raw}
	docs := []model.Document{stored}
	stream := g.ConsumeStream()
	switch {
	case g.Raw == "" && stream != "":
		docs = nil // such groups store nothing
	case g.Raw == "":
		docs[0].Problem = "nothing is stored about the group as a whole"
	}
	if stream == "" {
		return docs
	}
	docs = append(docs, e.answer(ctx, "stream", "STREAM.INFO."+stream))
	if m := g.Member(member); m != nil && m.Consumer != nil && m.Consumer.Name != "" {
		docs = append(docs, e.answer(ctx, "consumer of "+member, "CONSUMER.INFO."+stream+"."+m.Consumer.Name))
	}
	return docs
}

// storedConfig reads the bytes of the config bucket's newest value.
func (e *Engine) storedConfig(ctx context.Context, k model.Key) model.Document {
	bucket := observe.BucketName(k.Kind)
	d := model.Document{Title: "config", From: "$KV." + bucket + "." + k.BucketKey()}
	asked := concerns(".STREAM.INFO.KV_"+bucket, "."+d.From)
	err := e.guard(ctx, asked, func(ctx context.Context) error {
		if err := k.CheckKey(); err != nil {
			return err
		}
		kv, err := e.js.KeyValue(ctx, bucket)
		if err != nil {
			return err
		}
		entry, err := kv.Get(ctx, k.BucketKey())
		if err != nil {
			return err
		}
		d.Title, d.Text = fmt.Sprintf("config, revision %d", entry.Revision()), string(entry.Value())
		return nil
	})
	if err != nil {
		d.Problem = err.Error()
	}
	return d
}

// answer is what the JetStream API says, whole.
func (e *Engine) answer(ctx context.Context, title, what string) model.Document {
	d := model.Document{Title: title, From: e.settings.APIPrefix + "." + what}
	var msg *nats.Msg
	err := e.guard(ctx, concerns(d.From), func(ctx context.Context) (err error) {
		msg, err = e.request(ctx, d.From, nil)
		return err
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		d.Problem = fmt.Sprintf("no answer within %v", e.timeout)
	case err != nil:
		d.Problem = err.Error()
	default:
		if d.Problem = refusal(msg.Data); d.Problem == "" {
			d.Text = string(msg.Data)
		}
	}
	return d
}

// request makes one request, unless a name in its subject is too long for any: the server
// would end the connection.
func (e *Engine) request(ctx context.Context, subject string, body []byte) (*nats.Msg, error) {
	if err := observe.CheckSubject(subject); err != nil {
		return nil, err
	}
	return e.nc.RequestWithContext(ctx, subject, body)
}

// refusal is why the API says no in an answer, empty when it does not.
func refusal(answer []byte) string {
	var refused struct {
		Error *struct {
			Description string `json:"description"`
		} `json:"error"`
	}
	switch err := json.Unmarshal(answer, &refused); {
	case err != nil || refused.Error == nil:
		return ""
	case refused.Error.Description == "":
		return "refused without a reason"
	}
	return refused.Error.Description
}
