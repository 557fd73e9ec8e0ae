import { useState } from 'react'
import { authentication } from '../api/authentication.ts'
import { EmailField } from '../components/EmailField.tsx'
import { EntryForm } from '../components/EntryForm.tsx'
import { Page } from '../components/Page.tsx'
import { Link } from '../routing/Link.tsx'
import { withNext } from '../routing/next-origin.ts'

export function ForgotPassword() {
  const [email, setEmail] = useState<string | null>(null)
  if (email !== null) return <LetterSent email={email} onRetry={() => setEmail(null)} />
  return (
    <Page
      heading="Forgot your password?"
      lead="Enter your email address. We’ll send you a link with which you can choose a new password."
      after={<Link to="/sign-in">Back to sign in</Link>}
    >
      <EntryForm
        send={async (value) => {
          const address = value('email').trim()
          await authentication.requestPasswordReset({ email: address, redirectTo: withNext('/reset-password') })
          return address
        }}
        onDone={setEmail}
        submitLabel="Send link"
        pendingLabel="Sending…"
      >
        <EmailField />
      </EntryForm>
    </Page>
  )
}

/** The same for every address: whether it is known stays between the service and its mailbox. */
function LetterSent({ email, onRetry }: { email: string; onRetry: () => void }) {
  return (
    <Page
      heading="Look in your mailbox"
      lead={
        <>
          If there is an account for <strong>{email}</strong>, a letter with a link is on its way. The link works for an
          hour.
        </>
      }
      after={<Link to="/sign-in">Back to sign in</Link>}
    >
      <p className="soft">Nothing there after a few minutes? Look among the junk, or check the address.</p>
      <button type="button" className="button button-quiet" onClick={onRetry}>
        Try another address
      </button>
    </Page>
  )
}
