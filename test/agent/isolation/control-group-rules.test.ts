/** Where control groups of runs are made on machines of several kinds, and what is written and read there. */
import t from 'tap'
import {
  hasControllers,
  hasKilled,
  hasOthers,
  parentGroup,
  settingsOf,
} from '../../../agent/isolation/control-group-rules.ts'

const mounted = (root: string, at: string): string =>
  `24 30 0:22 / /proc rw,relatime - proc proc rw\n32 25 0:28 ${root} ${at} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n`
const unified = mounted('/', '/sys/fs/cgroup')

t.test('the group in which the agent was started is the one that is divided', async (t) => {
  const unit = '/system.slice/watchpost-agent.service'
  const rows: [what: string, cgroup: string, mountinfo: string, expected: string | null][] = [
    ['a unit of systemd', `0::${unit}\n`, unified, `/sys/fs/cgroup${unit}`],
    ['one that has been divided', `0::${unit}/watchpost-agent\n`, unified, `/sys/fs/cgroup${unit}`],
    ['a container with a view of its own', '0::/\n', unified, '/sys/fs/cgroup'],
    ['divided there', '0::/watchpost-agent\n', unified, '/sys/fs/cgroup'],
    ['a part that is mounted', '0::/pods/one/agent\n', mounted('/pods/one', '/mnt'), '/mnt/agent'],
    ['a space in the name of the place', '0::/a\n', mounted('/', '/sys/c\\040g'), '/sys/c g/a'],
    [
      'both versions',
      '5:memory:/a\n0::/b\n',
      mounted('/', '/sys/fs/cgroup/unified'),
      '/sys/fs/cgroup/unified/b',
    ],
    ['outside of what is mounted', '0::/../other\n', unified, null],
    ['another part than the mounted one', '0::/pods/two\n', mounted('/pods/one', '/mnt'), null],
    ['version 1 only', '5:memory:/a\n1:name=systemd:/a\n', unified, null],
    ['no mount', '0::/a\n', '24 30 0:22 / /proc rw - proc proc rw\n', null],
  ]
  for (const [what, cgroup, mountinfo, expected] of rows)
    t.equal(parentGroup(cgroup, mountinfo), expected, what)
})

t.test('what its files say', async (t) => {
  t.ok(hasControllers('cpuset cpu io memory hugetlb pids rdma\n'))
  for (const some of ['', '\n', 'hugetlb\n', 'memory\n', 'cpu pids\n']) t.notOk(hasControllers(some), some)
  for (const procs of ['', '17\n']) t.notOk(hasOthers(procs, 17), procs)
  for (const procs of ['17\n18\n', '0\n17\n', '1\n', '170\n']) t.ok(hasOthers(procs, 17), procs)
  const events = (kills: number): string =>
    `low 0\nhigh 0\nmax 31\noom 1\noom_kill ${kills}\noom_group_kill 0\n`
  t.ok(hasKilled(events(1)))
  t.ok(hasKilled(events(12)))
  t.notOk(hasKilled(events(0)), 'to reach the limit and to be content with what there is, is no fault')
  t.notOk(hasKilled(''), 'the group is gone')
})

t.test('what is written to them', async (t) => {
  t.strictSame(Object.fromEntries(settingsOf({ memoryMb: 320, processes: 128 })), {
    'memory.max': '335544320',
    'memory.swap.max': '0',
    'memory.oom.group': '1',
    'pids.max': '128',
  })
})
