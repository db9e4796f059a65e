package engine

import (
	"strings"
	"testing"
	"time"

	"pcgtop/model"
)

// Whatever a plan says, nothing is done to a group of another kind but what its kind offers:
// there is no connection here, which any write would need.
func TestOtherKindsAreNotWrittenTo(t *testing.T) {
	live := model.Reduce(nil, time.Now(), model.LinkSeen{State: model.LinkLive})
	a := &administration{current: func() *model.Snapshot { return live }, kinds: Options{}.kinds()}
	for _, kind := range []model.Kind{"parti", "consumergroup", "unheard-of"} {
		k := model.Key{Kind: kind, Stream: "S", Group: "g"}
		for _, action := range []model.Action{
			model.ActionStepDown, model.ActionAdd, model.ActionDrop, model.ActionRemap, model.ActionBalance, model.ActionMembers, model.ActionUndo,
			model.ActionCreate, model.ActionDelete, "purge",
		} {
			p := &model.Plan{Key: k, Intent: model.Intent{Action: action, Members: []string{"m"}}, Creation: &model.Creation{}}
			if _, err := a.Apply(t.Context(), p, nil); err == nil || !strings.Contains(err.Error(), "nothing was written") {
				t.Errorf("%s of a %s group: %v", action, kind, err)
			}
		}
	}
	for _, k := range []model.Key{{Kind: "consumergroup", Stream: "S", Group: "g"}, {Kind: model.KindElastic, Stream: "S", Group: "g"}} {
		for _, action := range []model.Action{model.ActionEditSource, model.ActionRemoveID} {
			if _, err := a.Apply(t.Context(), &model.Plan{Key: k, Intent: model.Intent{Action: action}}, nil); err == nil || !strings.Contains(err.Error(), "nothing was written") {
				t.Errorf("%s of %s: %v", action, k, err)
			}
		}
	}
}
