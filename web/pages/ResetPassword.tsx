import { useQuery } from '@tanstack/react-query'
import { resetPassword } from '../api/own-endpoints.ts'
import { forgetVisitor, passkeysOfResetQuery } from '../api/queries.ts'
import { RequestFailed } from '../api/request-failed.ts'
import { EntryForm } from '../components/EntryForm.tsx'
import { FailureNotice } from '../components/FailureNotice.tsx'
import { Loading } from '../components/Loading.tsx'
import { NewPasswordField } from '../components/NewPasswordField.tsx'
import { Page } from '../components/Page.tsx'
import { fieldOf, PasskeysToKeep } from '../components/PasskeysToKeep.tsx'
import { Link } from '../routing/Link.tsx'
import { useLinkSecret } from '../routing/link-secret.ts'
import { replaceWith } from '../routing/navigation.ts'
import { usedUp } from '../words/used-up.ts'

export function ResetPassword() {
  const { secret, error } = useLinkSecret()
  return secret === null || error !== null ? <UnusableLink /> : <NewPassword token={secret} />
}

function NewPassword({ token }: { token: string }) {
  const { data: passkeys, error, refetch } = useQuery(passkeysOfResetQuery(token))
  if (error && RequestFailed.from(error).code === 'INVALID_TOKEN') return <UnusableLink />

  function save(value: (name: string) => string) {
    const unticked = (passkeys ?? []).filter((passkey) => value(fieldOf(passkey)) === '')
    return resetPassword({
      token,
      newPassword: value('newPassword'),
      removePasskeys: unticked.map(({ id }) => id),
    })
  }

  return (
    <Page
      heading="Choose a new password"
      lead="You’ll use it from now on. Wherever you were signed in before, you’ll be signed out."
      after={<Link to="/forgot-password">Send me a new link</Link>}
    >
      {error && <FailureNotice error={error} retry={refetch} />}
      {!passkeys && !error && <Loading />}
      {passkeys && (
        <EntryForm
          send={save}
          onDone={goOn}
          submitLabel="Save password"
          pendingLabel="Saving…"
          sentences={usedUp('Have a new one sent to you: it takes a minute.')}
        >
          <NewPasswordField name="newPassword" label="New password" />
          <PasskeysToKeep passkeys={passkeys} />
        </EntryForm>
      )}
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
