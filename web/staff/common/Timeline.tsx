import type { TimelineEvent } from '../../../server/features/organizations/invitations/timeline.ts'
import { findValue } from '../../shared/format/find-value.ts'
import { INVITATION_EVENT_NAMES } from '../../shared/format/invitation-names.ts'
import { moment } from '../../shared/format/moment.ts'

type Step = { event: TimelineEvent; at: string; answer: string | null }

/** Shows the last step of an invitation. A click shows all steps. */
export function Timeline({ steps }: { steps: Step[] }) {
  const last = steps.at(-1)
  if (last === undefined) return 'Imported, no email sent'
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
  const words = findValue(INVITATION_EVENT_NAMES, event) ?? event
  return answer === null ? words : `${words}: ${answer}`
}
