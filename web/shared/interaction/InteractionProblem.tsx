import { AccountLink } from '../components/AccountLink.tsx'
import { DoneNotice } from '../components/DoneNotice.tsx'
import { FailureNotice } from '../components/FailureNotice.tsx'
import { Page } from '../components/Page.tsx'
import { isUnknownInteraction } from './interaction.ts'

type InteractionProblemProps = { error: unknown; retry: () => void; notice?: string | undefined }

/** Replaces a page to which an app sent the user, if the page can't load what the app asks for. */
export function InteractionProblem({ error, retry, notice }: InteractionProblemProps) {
  if (isUnknownInteraction(error)) return <UnknownInteraction notice={notice} />
  return (
    <Page heading="Sign in">
      <DoneNotice>{notice}</DoneNotice>
      <FailureNotice error={error} retry={retry} />
    </Page>
  )
}

export function UnknownInteraction({ notice }: { notice?: string | undefined }) {
  return (
    <Page
      heading="This sign-in has expired"
      lead="It took too long, or it was finished already. Go back to the app that you came from, and sign in there again."
    >
      <DoneNotice>{notice}</DoneNotice>
      <AccountLink />
    </Page>
  )
}
