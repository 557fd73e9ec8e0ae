import type { TimelineEvent } from '../../../server/features/organizations/invitations/timeline.ts'
import { findValue } from '../../shared/format/find-value.ts'
import { moment } from '../../shared/format/moment.ts'

type Step = { event: TimelineEvent; at: string; answer: string | null }

const STEPS: Record<TimelineEvent, string> = {
  queued: 'Email written',
  sent: 'Email accepted by the mail server',
  delayed: 'Email delayed, it is tried again',
  failed: 'Email not delivered',
  opened: 'Link opened',
  'signed up': 'Account created',
  accepted: 'Invitation accepted',
  rejected: 'Invitation declined',
  canceled: 'Invitation canceled',
  expired: 'Invitation expired',
}

/** Shows the last step of an invitation. A click shows all steps. */
export function Timeline({ steps }: { steps: Step[] }) {
  const last = steps.at(-1)
  if (last === undefined) return 'No email yet'
  return (
    <details className="timeline">
      <summary>{sentence(last)}</summary>
      <ol>
        {steps.map((step) => (
          <li key={`${step.event} ${step.at}`}>
            {sentence(step)} <span className="soft">{moment(new Date(step.at))}</span>
          </li>
        ))}
      </ol>
    </details>
  )
}

function sentence({ event, answer }: Step): string {
  const words = findValue(STEPS, event) ?? event
  return answer === null ? words : `${words}: ${answer}`
}
