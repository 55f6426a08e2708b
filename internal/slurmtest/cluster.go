//go:build linux

package slurmtest

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Nodes are the nodes of a cluster, with CPUs processors each. They are in partition
// Partition, the default one.
var Nodes = []string{"node1", "node2", "node3"}

const (
	CPUs      = 8
	Partition = "main"
)

// patience is how long a daemon may take. It is only used up when something is broken.
const patience = 3 * time.Minute

// A Cluster is a Slurm that runs until its test ends. Its methods are for one
// goroutine; Command may be used by many.
type Cluster struct {
	t     testing.TB
	dir   string
	lines []string // more of the configuration
	munge *daemon
	ctld  *daemon
	nodes map[string]*daemon
}

// Start starts a cluster and waits until all its nodes are idle: a second or two. Lines
// are added to its slurm.conf: where one is there twice the last one counts. The test is skipped, with a sentence, where Slurm is not installed or may not be started.
func Start(t testing.TB, lines ...string) *Cluster {
	t.Helper()
	for _, program := range []string{"munged", "slurmctld", "slurmd", "srun", "scancel", "squeue", "sinfo", "scontrol", "mount"} {
		if _, err := lookPath(program); err != nil {
			t.Skipf("no Slurm here: %v", err)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can start a Slurm with nodes of its own")
	}
	alone := exec.Command("sh", inside("true")...)
	alone.SysProcAttr = apart()
	if out, err := alone.CombinedOutput(); err != nil {
		t.Skipf("no node can have processes of its own here: %v\n%s", err, out)
	}
	// The path of munged's socket has to be short.
	dir, err := os.MkdirTemp("/tmp", "slurm")
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t, dir: dir, lines: lines, nodes: map[string]*daemon{}}
	t.Cleanup(c.close)
	if err := c.start(); err != nil {
		t.Fatalf("start Slurm: %v\n%s", err, c.logs())
	}
	return c
}

func (c *Cluster) start() (err error) {
	// Between the choice of a port and its use somebody else may take it.
	for range 3 {
		if err = c.configure(); err != nil {
			return err
		}
		if c.munge, err = c.launch("munged", nil, "--foreground", "--force", "--num-threads=2",
			"--key-file="+c.path("key"), "--socket="+c.path("socket"), "--pid-file="+c.path("munged.pid"),
			"--log-file="+c.path("munged.log"), "--seed-file="+c.path("seed")); err != nil {
			return err
		}
		if err = c.until("munged listens", func() bool { _, err := os.Stat(c.path("socket")); return err == nil }); err == nil {
			err = c.lead() // a node that finds nobody asks again much later
		}
		for _, node := range Nodes {
			if err == nil {
				err = c.boot(node)
			}
		}
		if err == nil {
			err = c.until("all nodes are idle", func() bool { return c.Idle() == len(Nodes) })
		}
		if err == nil {
			return nil
		}
		c.stop()
	}
	return err
}

// lead starts slurmctld.
func (c *Cluster) lead() (err error) {
	if c.ctld, err = c.launch("slurmctld", nil, "-D", "-f", c.conf()); err != nil {
		return err
	}
	return c.until("slurmctld answers", func() bool { _, err := c.Command("scontrol", "ping"); return err == nil })
}

// Stop asks the controller to end, as the first half of an update does, and waits until it
// has saved what it knows: nodes go on with what they do. One that hangs goes on for that.
func (c *Cluster) Stop() {
	c.t.Helper()
	_ = c.ctld.cmd.Process.Signal(syscall.SIGTERM) // it may have gone
	_ = c.ctld.cmd.Process.Signal(syscall.SIGCONT)
	select {
	case <-c.ctld.done:
	case <-time.After(patience):
		c.t.Errorf("slurmctld does not end after %v", patience)
		c.ctld.kill()
	}
	c.ctld = nil
}

// Continue starts a controller that was stopped.
func (c *Cluster) Continue() {
	c.t.Helper()
	if err := c.lead(); err != nil {
		c.t.Fatalf("%v\n%s", err, c.logs())
	}
}

// Hang stops the controller's process in what it does: it takes connections, and says
// nothing.
func (c *Cluster) Hang() { _ = c.ctld.cmd.Process.Signal(syscall.SIGSTOP) }

// Refuses is a line of the configuration by which [Cluster.Refuse] has an effect.
const Refuses = "JobSubmitPlugins=lua"

// refusing is what the controller asks whether it takes a job. The error is that of a limit
// on the number of jobs, which only a cluster with accounting has by itself.
const refusing = `function slurm_job_submit(job, partitions, user)
	local full = io.open(%q)
	if full then
		full:close()
		slurm.log_user("AssocMaxSubmitJobLimit")
		return 2050
	end
	return slurm.SUCCESS
end
function slurm_job_modify(job, old, partitions, user) return slurm.SUCCESS end
`

// Refuse lets the controller take no more jobs, or take them again.
func (c *Cluster) Refuse(jobs bool) {
	c.t.Helper()
	err := os.RemoveAll(c.path("full"))
	if jobs {
		err = os.WriteFile(c.path("full"), nil, 0o666)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// configure writes slurm.conf, with ports that are free now.
func (c *Cluster) configure() error {
	ports, err := freePorts(1 + len(Nodes))
	if err != nil {
		return err
	}
	key := make([]byte, 1024)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	if err := os.RemoveAll(c.path("key")); err != nil {
		return err
	}
	if err := os.WriteFile(c.path("key"), key, 0o400); err != nil {
		return err
	}
	if err := os.MkdirAll(c.path("state"), 0o700); err != nil {
		return err
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, `ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=%d
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=%s
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmctldPidFile=%[3]s/slurmctld.pid
SlurmdPidFile=%[3]s/%%n.pid
SlurmdSpoolDir=%[3]s/spool.%%n
StateSaveLocation=%[3]s/state
SlurmctldLogFile=%[3]s/slurmctld.log
SlurmdLogFile=%[3]s/%%n.log
SlurmdTimeout=5
MessageTimeout=5
KillWait=2
MinJobAge=300
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
`, ports[0], c.path("socket"), c.dir)
	for i, node := range Nodes {
		fmt.Fprintf(&text, "NodeName=%s NodeHostname=localhost NodeAddr=127.0.0.1 Port=%d CPUs=%d RealMemory=1000\n", node, ports[1+i], CPUs)
	}
	fmt.Fprintf(&text, "PartitionName=%s Nodes=%s Default=YES MaxTime=INFINITE State=UP\n", Partition, strings.Join(Nodes, ","))
	for _, line := range c.lines {
		fmt.Fprintln(&text, line)
	}
	if err := os.WriteFile(c.path("job_submit.lua"), fmt.Appendf(nil, refusing, c.path("full")), 0o666); err != nil {
		return err
	}
	return os.WriteFile(c.conf(), text.Bytes(), 0o666)
}

func freePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // not before all are chosen
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

func (c *Cluster) path(name string) string { return filepath.Join(c.dir, name) }
func (c *Cluster) conf() string            { return c.path("slurm.conf") }

// Env is what the commands of Slurm need in their environment to find the cluster.
func (c *Cluster) Env() []string { return []string{"SLURM_CONF=" + c.conf()} }

// Command runs a command of Slurm, and returns what it prints.
func (c *Cluster) Command(argv ...string) (string, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), c.Env()...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Jobs are the names of the jobs that wait or run, one a line.
func (c *Cluster) Jobs() []string {
	out, err := c.Command("squeue", "--noheader", "--format=%j", "--states=PENDING,RUNNING,COMPLETING,CONFIGURING")
	if err != nil {
		c.t.Fatalf("squeue: %v\n%s", err, out)
	}
	return strings.Fields(out)
}

// Idle is how many nodes are up and have nothing to do.
func (c *Cluster) Idle() int {
	out, _ := c.Command("sinfo", "--noheader", "--Node", "--format=%N %T")
	idle := map[string]bool{} // a node is in a line for each of its partitions
	for line := range strings.Lines(out) {
		if node, ok := strings.CutSuffix(line, " idle\n"); ok {
			idle[node] = true
		}
	}
	return len(idle)
}

// Await waits until done, and ends the test where it takes for ever.
func (c *Cluster) Await(what string, done func() bool) {
	c.t.Helper()
	if err := c.until(what, done); err != nil {
		c.t.Fatalf("%v\n%s", err, c.logs())
	}
}

// until is Await, and sees a daemon that has gone.
func (c *Cluster) until(what string, done func() bool) error {
	for deadline := time.Now().Add(patience); !done(); time.Sleep(20 * time.Millisecond) {
		for _, d := range []*daemon{c.munge, c.ctld} {
			if d != nil && d.ended() {
				return fmt.Errorf("%s has gone: %s", d.name, d.said.String())
			}
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("still not after %v: %s", patience, what)
		}
	}
	return nil
}

// Kill ends a node as if its power failed: slurmd and all that runs there. The controller
// is told: by itself it takes a quarter of a minute to see it.
func (c *Cluster) Kill(node string) {
	c.kill(node)
	if out, err := c.Command("scontrol", "update", "NodeName="+node, "State=DOWN", "Reason=power"); err != nil {
		c.t.Errorf("tell that %s is dead: %v\n%s", node, err, out)
	}
}

func (c *Cluster) kill(node string) {
	c.nodes[node].kill()
	delete(c.nodes, node)
}

// Boot starts a node that was killed.
func (c *Cluster) Boot(node string) {
	c.t.Helper()
	if err := c.boot(node); err != nil {
		c.t.Fatal(err)
	}
}

// boot starts a slurmd in a process namespace of its own, as if it were on a machine of
// its own: when it is killed, so is all that it started.
func (c *Cluster) boot(node string) (err error) {
	if err := os.MkdirAll(c.path("spool."+node), 0o700); err != nil {
		return err
	}
	slurmd, err := lookPath("slurmd")
	if err == nil {
		c.nodes[node], err = c.launch("sh", apart(), inside(slurmd, "-D", "-N", node, "-f", c.conf())...)
	}
	return err
}

// inside are the arguments of a shell that becomes argv, seeing only its own processes.
func inside(argv ...string) []string {
	return append([]string{"-c", `mount -t proc proc /proc && exec "$@"`, "sh"}, argv...)
}

// apart starts a process as the first of a namespace: all others of it end with it.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID, Unshareflags: syscall.CLONE_NEWNS}
}

func (c *Cluster) stop() {
	for node := range c.nodes {
		c.kill(node)
	}
	for _, d := range []**daemon{&c.ctld, &c.munge} {
		if *d != nil {
			(*d).kill()
			*d = nil
		}
	}
	os.Remove(c.path("socket"))
}

func (c *Cluster) close() {
	if c.t.Failed() {
		c.t.Log(c.logs())
	}
	c.stop()
	if err := os.RemoveAll(c.dir); err != nil {
		c.t.Error(err)
	}
}

// logs is the end of each log.
func (c *Cluster) logs() string {
	var all strings.Builder
	names, _ := filepath.Glob(c.path("*.log"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		fmt.Fprintf(&all, "%s: %v\n%s\n", filepath.Base(name), err, text[max(0, len(text)-4000):])
	}
	return all.String()
}

// A daemon is a process that ends with the test, also with one that is killed.
type daemon struct {
	name string
	cmd  *exec.Cmd
	said bytes.Buffer
	done chan struct{}
}

func (c *Cluster) launch(program string, how *syscall.SysProcAttr, args ...string) (*daemon, error) {
	path, err := lookPath(program)
	if err != nil {
		return nil, err
	}
	d := &daemon{name: program, cmd: exec.Command(path, args...), done: make(chan struct{})}
	d.cmd.Dir = c.dir
	d.cmd.Env = append(os.Environ(), c.Env()...)
	d.cmd.Stdout, d.cmd.Stderr = &d.said, &d.said
	if how == nil {
		how = new(syscall.SysProcAttr)
	}
	how.Pdeathsig, how.Setsid = syscall.SIGKILL, true
	d.cmd.SysProcAttr = how
	// What outlives it, holding its output, does not hold us.
	d.cmd.WaitDelay = time.Second
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(d.done)
		_ = d.cmd.Wait() // it was killed, or until says what it said
	}()
	return d, nil
}

func (d *daemon) ended() bool {
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}

func (d *daemon) kill() {
	_ = d.cmd.Process.Kill() // it may have gone
	<-d.done
}

// lookPath finds a program, also where only root looks for it.
func lookPath(program string) (string, error) {
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	for _, dir := range []string{"/usr/sbin", "/sbin", "/usr/local/sbin"} {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed (%w)", program, errors.ErrUnsupported)
}
