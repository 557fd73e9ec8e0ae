import { duration } from '../../shared/format/duration.ts'
import { counted, number, percent } from '../../shared/format/number.ts'
import { StatisticsPlot } from './StatisticsPlot.tsx'
import { comparison, type Part, partsOf, type Statistics, totalOf } from './statistics.ts'

const count = (parts: Part[], one: string) => counted(totalOf(parts), one)
const withDetail = (parts: Part[], detail: string) => parts.filter((part) => part.detail === detail)
const withoutDetail = (parts: Part[], detail: string) => parts.filter((part) => part.detail !== detail)

type PlotsProps = { statistics: Statistics }

export function Plots({ statistics }: PlotsProps) {
  return (
    <div className="plots">
      <SignIns statistics={statistics} />
      <Failures statistics={statistics} />
      <NewUsers statistics={statistics} />
      <Bans statistics={statistics} />
      <Emails statistics={statistics} />
      <Tokens statistics={statistics} />
    </div>
  )
}

function SignIns({ statistics }: PlotsProps) {
  const parts = partsOf(statistics, 'sign-in')
  const share = statistics.passkeyShare === null ? '' : `, ${percent(statistics.passkeyShare)} with a passkey`
  return (
    <StatisticsPlot
      statistics={statistics}
      title={`${count(parts, 'sign-in')}, ${comparison(parts)}${share}`}
      layers={[
        {
          name: 'sign-ins without a passkey',
          one: 'sign-in without a passkey',
          parts: withoutDetail(parts, 'passkey'),
        },
        { name: 'with a passkey', parts: withDetail(parts, 'passkey') },
      ]}
      actions={['session.started']}
    />
  )
}

function Failures({ statistics }: PlotsProps) {
  const parts = partsOf(statistics, 'sign-in-failed')
  const most = parts.toSorted((one, other) => other.total - one.total)[0]
  const why = most && most.total > 0 ? `, most often: ${most.detail}` : ''
  return (
    <StatisticsPlot
      statistics={statistics}
      title={`${count(parts, 'failed sign-in')}, ${comparison(parts)}${why}`}
      layers={[
        {
          name: 'failed sign-ins within the limits',
          one: 'failed sign-in within the limits',
          parts: withoutDetail(parts, 'too many tries'),
        },
        { name: 'over a limit', parts: withDetail(parts, 'too many tries') },
      ]}
      actions={['sign-in.failed', 'limit.reached']}
    />
  )
}

function NewUsers({ statistics }: PlotsProps) {
  const parts = partsOf(statistics, 'user-created')
  const invited = totalOf(partsOf(statistics, 'invitation-created'))
  const accepted = totalOf(partsOf(statistics, 'invitation-accepted'))
  const invitations = `${counted(accepted, 'invitation')} accepted and ${number(invited)} sent`
  return (
    <StatisticsPlot
      statistics={statistics}
      title={`${count(parts, 'new user')}, ${comparison(parts)}; ${invitations}`}
      layers={[
        { name: 'invited users', one: 'invited user', parts: withDetail(parts, 'invitation') },
        { name: 'created otherwise', parts: withoutDetail(parts, 'invitation') },
      ]}
      actions={['user.created']}
    />
  )
}

function Bans({ statistics }: PlotsProps) {
  const bans = partsOf(statistics, 'ban')
  const lifted = partsOf(statistics, 'unban')
  return (
    <StatisticsPlot
      statistics={statistics}
      title={`${count(bans, 'ban')}, ${comparison(bans)}; ${number(totalOf(lifted))} lifted`}
      layers={[
        { name: 'bans', one: 'ban', parts: bans },
        { name: 'lifted bans', one: 'lifted ban', parts: lifted },
      ]}
      actions={['user.banned', 'user.unbanned']}
    />
  )
}

function Emails({ statistics }: PlotsProps) {
  const sent = partsOf(statistics, 'email-sent')
  const failed = partsOf(statistics, 'email-failed')
  const { medianEmailDelaySeconds: delay } = statistics
  const speed = delay === null ? '' : `; half of them within ${duration(delay)}`
  return (
    <StatisticsPlot
      statistics={statistics}
      title={`${count(sent, 'email')} sent, ${comparison(sent)}; ${number(totalOf(failed))} failed${speed}`}
      layers={[
        { name: 'sent emails', one: 'sent email', parts: sent },
        { name: 'failed emails', one: 'failed email', parts: failed },
      ]}
    />
  )
}

function Tokens({ statistics }: PlotsProps) {
  const parts = partsOf(statistics, 'token')
  return (
    <StatisticsPlot
      statistics={statistics}
      title={`${count(parts, 'token')}, ${comparison(parts)}`}
      layers={[{ name: 'tokens', one: 'token', parts }]}
    />
  )
}
