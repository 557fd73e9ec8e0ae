import { duration } from '../../shared/format/duration.ts'
import { StatisticsPlot } from './StatisticsPlot.tsx'
import { comparison, type Part, partsOf, type Statistics, totalOf } from './statistics.ts'

const count = (parts: Part[], one: string, many: string) => {
  const total = totalOf(parts)
  return total === 1 ? `1 ${one}` : `${total.toLocaleString()} ${many}`
}
const percent = (share: number) => `${Math.round(share * 100)} %`
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
      title={`${count(parts, 'sign-in', 'sign-ins')}, ${comparison(parts)}${share}`}
      layers={[
        { name: 'sign-ins without a passkey', parts: withoutDetail(parts, 'passkey') },
        { name: 'with a passkey', parts: withDetail(parts, 'passkey') },
      ]}
      action="session.started"
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
      title={`${count(parts, 'failed sign-in', 'failed sign-ins')}, ${comparison(parts)}${why}`}
      layers={[{ name: 'failed sign-ins', parts }]}
      action="sign-in.failed"
    />
  )
}

function NewUsers({ statistics }: PlotsProps) {
  const parts = partsOf(statistics, 'user-created')
  const invited = totalOf(partsOf(statistics, 'invitation-created'))
  const accepted = totalOf(partsOf(statistics, 'invitation-accepted'))
  const invitations = `${accepted.toLocaleString()} invitations accepted and ${invited.toLocaleString()} sent`
  return (
    <StatisticsPlot
      statistics={statistics}
      title={`${count(parts, 'new user', 'new users')}, ${comparison(parts)}; ${invitations}`}
      layers={[
        { name: 'invited users', parts: withDetail(parts, 'invitation') },
        { name: 'created otherwise', parts: withoutDetail(parts, 'invitation') },
      ]}
      action="user.created"
    />
  )
}

function Bans({ statistics }: PlotsProps) {
  const bans = partsOf(statistics, 'ban')
  const lifted = partsOf(statistics, 'unban')
  return (
    <StatisticsPlot
      statistics={statistics}
      title={`${count(bans, 'ban', 'bans')}, ${comparison(bans)}; ${totalOf(lifted).toLocaleString()} lifted`}
      layers={[
        { name: 'bans', parts: bans },
        { name: 'lifted bans', parts: lifted },
      ]}
      action="user.banned"
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
      title={`${count(sent, 'email', 'emails')} sent, ${comparison(sent)}; ${totalOf(failed).toLocaleString()} failed${speed}`}
      layers={[
        { name: 'sent emails', parts: sent },
        { name: 'failed emails', parts: failed },
      ]}
    />
  )
}

function Tokens({ statistics }: PlotsProps) {
  const parts = partsOf(statistics, 'token')
  return (
    <StatisticsPlot
      statistics={statistics}
      title={`${count(parts, 'token', 'tokens')}, ${comparison(parts)}`}
      layers={[{ name: 'tokens', parts }]}
    />
  )
}
