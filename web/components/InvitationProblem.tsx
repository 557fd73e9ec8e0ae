import { RequestFailed } from '../api/request-failed.ts'
import { Link } from '../routing/Link.tsx'
import { invitationProblem } from '../words/invitation-problem.ts'
import { FailureNotice } from './FailureNotice.tsx'
import { Page } from './Page.tsx'

type InvitationProblemProps = { error: unknown; retry: () => void }

/** An invitation that can't be used, and the way on. */
export function InvitationProblem({ error, retry }: InvitationProblemProps) {
  const problem = invitationProblem(RequestFailed.from(error).code)
  if (problem === undefined) {
    return (
      <Page heading="Your invitation">
        <FailureNotice error={error} retry={retry} />
      </Page>
    )
  }
  return (
    <Page heading={problem.heading} lead={problem.explanation}>
      <Link to="/sign-in" className="button button-main">
        Sign in
      </Link>
    </Page>
  )
}
