// Package pause waits for a time, which the end of a context cuts short.
package pause

import (
	"context"
	"time"
)

// For waits so long and returns the context's error, which may end it before. Where there
// is nothing to wait for, it only looks at the context.
func For(ctx context.Context, d time.Duration) error {
	_, err := Until[struct{}](ctx, d, nil)
	return err
}

// Until is For, and ends before where something is received from wake, which it tells. It
// may do so once even where nothing is to be waited for.
func Until[T any](ctx context.Context, d time.Duration, wake <-chan T) (woken bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if d <= 0 {
		select {
		case <-wake:
			return true, nil
		default:
			return false, nil
		}
	}
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-wake:
		return true, nil
	case <-time.After(d):
		return false, nil
	}
}
