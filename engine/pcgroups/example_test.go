package pcgroups_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/pcgroups"
)

// A static group: the stream itself stamps each message's partition in front of its
// subject, and the members are fixed when the group is made.
func Example_static() {
	ctx, js, stop := connect()
	defer stop()
	check(js.CreateStream(ctx, jetstream.StreamConfig{
		Name: "ORDERS", Subjects: []string{"orders.*"},
		SubjectTransform: &jetstream.SubjectTransformConfig{
			Source: "orders.*", Destination: "{{partition(4,1)}}.orders.{{wildcard(1)}}",
		},
	}))
	check(pcgroups.CreateStatic(ctx, js, "ORDERS", "billing", 4, nil, []string{"m1", "m2"}, nil))
	reach, err := pcgroups.CheckReach(ctx, js, "ORDERS", "billing")
	check(reach, err)
	fmt.Println(reach)

	handled := make(chan string)
	for _, name := range []string{"m1", "m2"} {
		member, err := pcgroups.StaticConsume(ctx, js, "ORDERS", "billing", name, func(msg jetstream.Msg) {
			partition := msg.(*pcgroups.ConsumerGroupMsg).Partition()
			handled <- fmt.Sprintf("%s handles %s of partition %d", name, msg.Subject(), partition)
			_ = msg.Ack()
		}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: 1})
		check(member, err)
		defer member.Stop()
	}
	for _, order := range []string{"orders.1001", "orders.1003"} {
		check(js.Publish(ctx, order, nil))
		fmt.Println(<-handled)
	}
	// Output:
	// every partition is covered
	// m2 handles orders.1001 of partition 3
	// m1 handles orders.1003 of partition 1
}

// An elastic group: its work stream stamps the partitions, so that any stream will do,
// and members come and go. A member may join before it is in the membership.
func Example_elastic() {
	ctx, js, stop := connect()
	defer stop()
	check(js.CreateStream(ctx, jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.*.*"}}))
	// Messages of one customer, the first wildcard, are handled one after the other.
	check(pcgroups.CreateElastic(ctx, js, "ORDERS", "billing", 4, []pcgroups.PartitioningFilter{
		{Filter: "orders.*.*", PartitioningWildcards: []int{1}},
	}, 0, 0))

	handled := make(chan string)
	members := map[string]pcgroups.Instance{}
	for _, name := range []string{"m1", "m2"} {
		member, err := pcgroups.ElasticConsume(ctx, js, "ORDERS", "billing", name, func(msg jetstream.Msg) {
			handled <- name + " handles " + msg.Subject()
			_ = msg.Ack()
		}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: 1})
		check(member, err)
		defer member.Stop()
		members[name] = member.(pcgroups.Instance)
	}
	fmt.Println("m1 consumes:", members["m1"].Consuming())

	check(pcgroups.AddMembers(ctx, js, "ORDERS", "billing", []string{"m1"}))
	check(nil, members["m1"].WaitConsuming(ctx, true))
	check(js.Publish(ctx, "orders.bob.1", nil))
	fmt.Println(<-handled)

	check(pcgroups.AddMembers(ctx, js, "ORDERS", "billing", []string{"m2"}))
	check(nil, members["m2"].WaitConsuming(ctx, true))
	check(js.Publish(ctx, "orders.alice.1", nil))
	fmt.Println(<-handled)
	// Output:
	// m1 consumes: false
	// m1 handles orders.bob.1
	// m2 handles orders.alice.1
}

// High availability: of two instances of one member the server pins one, and the other
// takes over when that one stops, steps down or dies.
func Example_highAvailability() {
	ctx, js, stop := connect()
	defer stop()
	check(js.CreateStream(ctx, jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.*"}}))
	check(pcgroups.CreateElastic(ctx, js, "ORDERS", "billing", 2, nil, 0, 0))
	check(pcgroups.AddMembers(ctx, js, "ORDERS", "billing", []string{"m1"}))

	handled := make(chan string)
	var instances []pcgroups.Instance
	for range 2 { // in another process, in real life
		var instance pcgroups.Instance
		ready := make(chan struct{})
		member, err := pcgroups.ElasticConsume(ctx, js, "ORDERS", "billing", "m1", func(msg jetstream.Msg) {
			<-ready
			_ = msg.Ack()
			handled <- fmt.Sprintf("%s by a pinned instance: %v", msg.Subject(), instance.Pinned())
		}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 30 * time.Second, MaxAckPending: 1})
		check(member, err)
		defer member.Stop()
		instance = member.(pcgroups.Instance)
		close(ready)
		instances = append(instances, instance)
	}
	check(js.Publish(ctx, "orders.1", nil))
	fmt.Println(<-handled)

	pinned, standby := instances[0], instances[1]
	if standby.Pinned() {
		pinned, standby = standby, pinned
	}
	pinned.Stop()
	check(nil, pinned.Wait(ctx))
	check(js.Publish(ctx, "orders.2", nil))
	fmt.Println(<-handled)
	fmt.Println("the standby has taken over:", standby.Pinned())
	// Output:
	// orders.1 by a pinned instance: true
	// orders.2 by a pinned instance: true
	// the standby has taken over: true
}

// A program that ends drains its member: what is buffered is handled, nothing comes
// twice, and the next instance goes on at once.
func ExampleInstance_drain() {
	ctx, js, stop := connect()
	defer stop()
	check(js.CreateStream(ctx, jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.*"}}))
	check(pcgroups.CreateElastic(ctx, js, "ORDERS", "billing", 2, nil, 0, 0))
	check(pcgroups.AddMembers(ctx, js, "ORDERS", "billing", []string{"m1"}))
	member, err := pcgroups.ElasticConsume(ctx, js, "ORDERS", "billing", "m1", func(msg jetstream.Msg) {
		_ = msg.Ack()
	}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: 100},
		pcgroups.WithInProgress(), pcgroups.WithConfirmedAcks(time.Second))
	check(member, err)

	// When the program is told to end:
	deadline, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	left, err := member.(pcgroups.Instance).Drain(deadline)
	fmt.Println("left:", left, "error:", err)
	fmt.Println("ended with:", <-member.Done())
	// Output:
	// left: 0 error: <nil>
	// ended with: <nil>
}

// connect starts a server for an example and connects to it.
func connect() (context.Context, jetstream.JetStream, func()) {
	dir, err := os.MkdirTemp("", "pcgroups")
	check(dir, err)
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true})
	check(s, err)
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		log.Fatal("the server did not start")
	}
	nc, err := nats.Connect(s.ClientURL())
	check(nc, err)
	js, err := jetstream.New(nc)
	check(js, err)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	return ctx, js, func() {
		cancel()
		nc.Close()
		s.Shutdown()
		s.WaitForShutdown()
		_ = os.RemoveAll(dir)
	}
}

func check(_ any, err error) {
	if err != nil {
		log.Fatal(err)
	}
}
