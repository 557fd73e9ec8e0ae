import { useState } from 'react'
import { Link } from 'wouter'
import { authentication } from '../shared/api/authentication.ts'
import { Page } from '../shared/components/Page.tsx'
import { EmailField } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { pageState } from '../shared/routing/page-state.ts'
import { storeInteraction } from '../shared/routing/stored-interaction.ts'
import { withDestination } from '../shared/routing/with-destination.ts'

export function ForgotPassword() {
  const [email, setEmail] = useState(pageState().email ?? '')
  const [sentTo, setSentTo] = useState<string | null>(null)
  if (sentTo !== null) return <EmailSent email={sentTo} onRetry={() => setSentTo(null)} />

  return (
    <Page
      heading="Forgot your password?"
      lead="Enter your email address. We’ll send you a link to choose a new password."
      after={<BackToSignIn email={email.trim()} />}
    >
      <Form
        send={async (value) => {
          const address = value('email').trim()
          storeInteraction()
          await authentication.requestPasswordReset({ email: address, redirectTo: withDestination('/reset-password') })
          return address
        }}
        onDone={setSentTo}
        submitLabel="Send link"
        pendingLabel="Sending…"
      >
        <EmailField value={email} onChange={setEmail} />
      </Form>
    </Page>
  )
}

/** Passes on the email address, and the other data that sign-in needs, for example the page to return to. */
function BackToSignIn({ email }: { email: string }) {
  return (
    <Link href="/sign-in" state={{ ...pageState(), email }}>
      Back to sign in
    </Link>
  )
}

/** The page is the same for known and unknown addresses, because it must not tell which are known. */
function EmailSent({ email, onRetry }: { email: string; onRetry: () => void }) {
  return (
    <Page
      heading="Look in your mailbox"
      lead={
        <>
          If there is an account for <strong>{email}</strong>, an email with a link is on its way. The link works for an
          hour.
        </>
      }
      after={<BackToSignIn email={email} />}
    >
      <p className="soft">Nothing there after a few minutes? Look in your spam folder, or check the address.</p>
      <button type="button" className="button button-quiet" onClick={onRetry}>
        Try another address
      </button>
    </Page>
  )
}
