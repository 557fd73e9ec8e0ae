import { Link } from 'wouter'
import { RequestFailed } from '../api/request-failed.ts'
import { FailureNotice } from '../components/FailureNotice.tsx'
import { Page } from '../components/Page.tsx'

/** An app sent the user here, and the service does not know what it waits for any more. */
export function InteractionProblem({ error, retry }: { error: unknown; retry: () => void }) {
  if (RequestFailed.from(error).code !== 'INTERACTION_NOT_FOUND') {
    return (
      <Page heading="Sign in">
        <FailureNotice error={error} retry={retry} />
      </Page>
    )
  }
  return (
    <Page
      heading="This sign-in has expired"
      lead="It took too long, or it was finished already. Go back to the app that you came from, and sign in there again."
    >
      <Link href="/account" className="button button-main">
        Go to your account
      </Link>
    </Page>
  )
}
