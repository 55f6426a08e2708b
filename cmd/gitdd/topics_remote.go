package main

const remoteGuide = `Trials run on this machine, unless you name a cluster. gitdd has no scheduler:
it uses the one that is there. The answer is the same, and so is the path to it.
Look first whether all is ready, then search with many workers:

  gitdd doctor --remote grpc://farm:8980 -- make test
  gitdd run --good v1 --remote grpc://farm:8980 -j 64 -- make test
  gitdd run --good v1 --slurm=main -j 64 -- make test

--remote URL is a server of Bazel's Remote Execution API, such as Buildbarn,
BuildBuddy, NativeLink and Buildfarm; grpcs:// has TLS. Ask its people for

  --remote-cache URL      its storage, if that has another address
  --remote-instance NAME  which of its instances, if it has some
  --remote-property K=V   what the machines are called, word for word
  --remote-header K=V     an API key; K=@FILE takes it from a file

Many give a trial links to files that all share, and gitdd copies these first,
so that a test may write to them; --remote-untouched says that it never does.

--slurm[=PARTITION] makes a job of each trial, by srun; --slurm-option=OPT goes
to srun. Files travel as streams, or not at all with --slurm-shared DIR, where
DIR is on a file system of all nodes. There workspaces are as they are here.
Else a trial finds

  files      of the configuration, of --overlay, --with-patch and --keep;
             no .git: what asks git wants --slurm-shared
  directory  one of its own, new and gone afterwards: --setup and --build
             begin anew in each trial
  variables  of that machine, often none: GITDD_WORKSPACE, TMPDIR and
             GITDD_ATTEMPT are set, others of gitdd help environment not
  tools      that the machine has: name a container-image by
             --remote-property, or bring them by --overlay or --keep

Limits of memory and disk are the cluster's: --max-memory, --max-disk and
--artifact are refused.

Most of -j N trials are run ahead, for what the search is likely to ask. Many
turn out needless; --max-cost N is how many may. --rounds asks more at a time.

  gitdd run --good v1 --slurm -j 64 --max-cost 200 -- make test

A machine that is lost, out of memory or out of reach says nothing of a test:
the trial begins again, five times at most, and is then unresolved with the
reason. gitdd resume tries such trials again; gitdd log shows where each ran.
A server that does not answer for 10 minutes (--remote-patience) ends the search
with exit status 4; when it is back, gitdd resume goes on.

The servers of --remote have a cache that their users share: an outcome that
anybody has found costs nothing ("cached" in the report), and whoever may write
to the cache may put a wrong one there. Time-outs are not taken from it, nor
what was killed or not found. Attempts of --repeat and --confidence, and the
last check of an answer, have entries of their own.

A session keeps the address, and @FILE, but no other value of --remote-header:
gitdd resume says which it wants again.

  gitdd resume --remote-header x-api-key=@key -j 64`
