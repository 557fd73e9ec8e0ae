import { AccountLink } from '../components/AccountLink.tsx'
import { FailureNotice } from '../components/FailureNotice.tsx'
import { Page } from '../components/Page.tsx'
import { isUnknownInteraction } from './interaction.ts'

/** Replaces a page to which an app sent the user, if the page can't load what the app asks for. */
export function InteractionProblem({ error, retry }: { error: unknown; retry: () => void }) {
  if (isUnknownInteraction(error)) return <UnknownInteraction />
  return (
    <Page heading="Sign in">
      <FailureNotice error={error} retry={retry} />
    </Page>
  )
}

export function UnknownInteraction() {
  return (
    <Page
      heading="This sign-in has expired"
      lead="It took too long, or it was finished already. Go back to the app that you came from, and sign in there again."
    >
      <AccountLink />
    </Page>
  )
}
