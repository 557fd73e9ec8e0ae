import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { tokenCommand } from './curl-command.ts'
import type { Overview } from './queries.ts'
import { memberTotal } from './roles.ts'

const YOUNG_MILLISECONDS = 30 * 86_400_000

type Step = { title: string; isDone: boolean; how: ReactNode }

/** The first steps of an organization. The page stops showing them when all are done, or after 30 days. */
export function Checklist({ overview }: { overview: Overview }) {
  const steps = stepsOf(overview)
  const isYoung = Date.now() - Date.parse(overview.organization.createdAt) < YOUNG_MILLISECONDS
  if (!isYoung || steps.every(({ isDone }) => isDone)) return null
  const doneCount = steps.filter(({ isDone }) => isDone).length
  return (
    <section className="card" aria-labelledby="first-steps">
      <h2 id="first-steps">
        First steps: {doneCount} of {steps.length} done
      </h2>
      <ol className="checklist">
        {steps.map(({ title, isDone, how }) => (
          <li key={title} className={isDone ? 'is-done' : undefined}>
            <p>
              {title}
              {isDone && <span className="badge badge-good">Done</span>}
            </p>
            {!isDone && <div className="soft">{how}</div>}
          </li>
        ))}
      </ol>
    </section>
  )
}

function stepsOf({ organization, role, memberCounts, openInvitationCount, apiKeyCount }: Overview): Step[] {
  const home = `/organizations/${organization.slug}`
  return [
    {
      title: 'Invite your colleagues',
      isDone: memberTotal(memberCounts) > 1 || openInvitationCount > 0,
      how: (
        <p>
          <Link href={`${home}/invitations`}>Paste their email addresses</Link>. Each gets a link that works for 7 days.
        </p>
      ),
    },
    {
      title: 'Make a colleague the second owner',
      isDone: memberCounts.owner > 1,
      how: (
        <p>
          {role === 'owner' ? 'Choose' : 'An owner chooses'} “Owner” in the{' '}
          <Link href={`${home}/members`}>list of members</Link>. Then the organization can go on when one of you is
          away.
        </p>
      ),
    },
    {
      title: 'Create an API key for your programs',
      isDone: apiKeyCount > 0,
      how: (
        <>
          <p>
            <Link href={`${home}/api-keys`}>Create a key</Link>. A program gets a token with it:
          </p>
          <pre className="sample">{tokenCommand(organization.slug)}</pre>
        </>
      ),
    },
  ]
}
