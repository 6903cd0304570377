package conf

import "time"

// Cluster holds the raft settings.
type Cluster struct {
	DataDir               string         `conf:"dataDir" required:"true" doc:"directory of raft.db and snapshots"`
	PreferredLeader       bool           `conf:"preferredLeader" default:"false" later:"a second member of the cluster" doc:"whether this controller should lead"`
	RestartSelfOnSnapshot bool           `conf:"restartSelfOnSnapshot" default:"false" later:"a second member of the cluster" doc:"start again after a snapshot of the leader"`
	SnapshotInterval      time.Duration  `conf:"snapshotInterval" default:"2m" min:"10ms" doc:"time between two looks at the log"`
	SnapshotThreshold     int            `conf:"snapshotThreshold" default:"500" min:"1" doc:"log entries that make a snapshot due"`
	TrailingLogs          int            `conf:"trailingLogs" default:"500" min:"0" doc:"log entries kept behind a snapshot"`
	MaxAppendEntries      int            `conf:"maxAppendEntries" default:"64" min:"1" max:"1024" doc:"log entries per message"`
	CommitTimeout         time.Duration  `conf:"commitTimeout" default:"50ms" min:"1ms" doc:"time without a message after which commits are announced"`
	ElectionTimeout       time.Duration  `conf:"electionTimeout" default:"5s" min:"5ms" doc:"time without a leader after which an election starts"`
	HeartbeatTimeout      time.Duration  `conf:"heartbeatTimeout" default:"3s" min:"5ms" doc:"time without a heartbeat after which the leader is missed"`
	LeaderLeaseTimeout    time.Duration  `conf:"leaderLeaseTimeout" default:"3s" min:"5ms" doc:"time without a majority after which a leader steps down"`
	ApplyTimeout          time.Duration  `conf:"applyTimeout" default:"5s" min:"1ms" doc:"time for a change to be queued"`
	WarnWhenLeaderlessFor time.Duration  `conf:"warnWhenLeaderlessFor" default:"1m" min:"10s" clamp:"default" doc:"time without a leader that is worth a warning in the log"`
	LogLevel              string         `conf:"logLevel" oneof:"trace|debug|info|warn|error|off" doc:"level of raft's log; default that of the process"`
	LogFile               string         `conf:"logFile" doc:"file for raft's log; default that of the process"`
	CommandHandler        CommandHandler `conf:"commandHandler" later:"a second member of the cluster" doc:"changes that followers forward"`
	RateLimiter           Window         `conf:"rateLimiter" doc:"limit on changes in flight"`
}

func (cl *Cluster) check(c *Checker, path string) {
	if cl.LeaderLeaseTimeout > cl.HeartbeatTimeout {
		c.Refuse(path+".leaderLeaseTimeout", "is longer than heartbeatTimeout", "make it at most "+cl.HeartbeatTimeout.String())
	}
	if cl.ElectionTimeout < cl.HeartbeatTimeout {
		c.Refuse(path+".electionTimeout", "is shorter than heartbeatTimeout", "make it at least "+cl.HeartbeatTimeout.String())
	}
}

// CommandHandler bounds changes that other controllers forward.
type CommandHandler struct {
	MaxQueueSize int `conf:"maxQueueSize" default:"250" min:"1" doc:"changes that wait at the leader"`
}
