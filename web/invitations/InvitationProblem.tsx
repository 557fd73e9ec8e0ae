import { Link } from 'wouter'
import { RequestFailed } from '../shared/api/request-failed.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Page } from '../shared/components/Page.tsx'
import { findInvitationProblem } from './invitation-problem.ts'

type InvitationProblemProps = { error: unknown; retry: () => void }

export function InvitationProblem({ error, retry }: InvitationProblemProps) {
  const problem = findInvitationProblem(RequestFailed.from(error).code)
  if (problem === undefined) {
    return (
      <Page heading="Your invitation">
        <FailureNotice error={error} retry={retry} />
      </Page>
    )
  }
  return (
    <Page heading={problem.heading} lead={problem.explanation}>
      <Link href="/sign-in" className="button button-main">
        Sign in
      </Link>
    </Page>
  )
}
