import { authentication } from '../api/authentication.ts'
import { forgetVisitor } from '../api/queries.ts'
import { EntryForm } from '../components/EntryForm.tsx'
import { NewPasswordField } from '../components/NewPasswordField.tsx'
import { Page } from '../components/Page.tsx'
import { Link } from '../routing/Link.tsx'
import { useLinkSecret } from '../routing/link-secret.ts'
import { replaceWith } from '../routing/navigation.ts'
import { usedUp } from '../words/used-up.ts'

export function ResetPassword() {
  const { secret, error } = useLinkSecret()
  if (secret === null || error !== null) return <UnusableLink />
  return (
    <Page
      heading="Choose a new password"
      lead="You’ll use it from now on. Wherever you were signed in before, you’ll be signed out."
      after={<Link to="/forgot-password">Send me a new link</Link>}
    >
      <EntryForm
        send={(value) => authentication.resetPassword({ newPassword: value('newPassword'), token: secret })}
        onDone={goOn}
        submitLabel="Save password"
        pendingLabel="Saving…"
        sentences={usedUp('Have a new one sent to you: it takes a minute.')}
      >
        <NewPasswordField name="newPassword" label="New password" />
      </EntryForm>
    </Page>
  )
}

function UnusableLink() {
  return (
    <Page
      heading="This link doesn’t work"
      lead="It may have been used, be older than an hour, or not be whole. A new one takes a minute."
    >
      <Link to="/forgot-password" className="button button-main">
        Send me a new link
      </Link>
    </Page>
  )
}

function goOn() {
  forgetVisitor()
  replaceWith('/sign-in', { notice: 'Your new password is saved. Sign in with it.' })
}
