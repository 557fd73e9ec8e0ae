import { useQueries } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { linkQuery } from '../shared/api/links.ts'
import { hasCode } from '../shared/api/request-failed.ts'
import { forgetSession } from '../shared/api/tabs.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { Page } from '../shared/components/Page.tsx'
import { usedLinkSentences } from '../shared/format/used-link-sentences.ts'
import { EmailField } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { NewPasswordField } from '../shared/forms/NewPasswordField.tsx'
import { forgetLinkSecret, useLinkSecret } from '../shared/routing/link-secret.ts'
import type { PageState } from '../shared/routing/page-state.ts'
import { withStoredInteraction } from '../shared/routing/stored-interaction.ts'
import { passkeysOfResetQuery, resetPassword } from './endpoints.ts'
import { fieldOf, PasskeyChoices } from './PasskeyChoices.tsx'

/** The response to an earlier request may have been lost. */
const REMEDY = 'If you have saved a new password with it, sign in. Otherwise ask for a new link: it takes a minute.'

export function ResetPassword() {
  const secret = useLinkSecret()
  return secret === null ? <UnusableLink /> : <NewPassword key={secret} token={secret} />
}

function NewPassword({ token }: { token: string }) {
  const [, navigate] = useLocation()
  const [link, listed] = useQueries({ queries: [linkQuery(token), passkeysOfResetQuery(token)] })
  const passkeys = listed.data
  const error = link.error ?? listed.error
  if (hasCode(error, 'INVALID_TOKEN')) return <UnusableLink />

  function save(value: (name: string) => string) {
    const ticked = (passkeys ?? []).filter((passkey) => value(fieldOf(passkey)) !== '')
    return resetPassword({
      token,
      newPassword: value('newPassword'),
      keepPasskeys: ticked.map(({ id }) => id),
    })
  }

  function goOn() {
    forgetLinkSecret()
    forgetSession()
    const notice = 'Your new password is saved. Sign in with it.'
    navigate<PageState>(withStoredInteraction('/sign-in'), {
      replace: true,
      state: { notice, email: link.data?.email ?? '' },
    })
  }

  return (
    <Page
      heading="Choose a new password"
      lead="You’ll sign in with it from now on. You’ll be signed out on all your devices."
      after={
        <>
          <Link href="/sign-in">Sign in</Link>
          <Link href="/forgot-password">Send me a new link</Link>
        </>
      }
    >
      {error && <FailureNotice error={error} retry={() => Promise.all([link.refetch(), listed.refetch()])} />}
      {!error && !(link.data && passkeys) && <Loading />}
      {link.data && passkeys && (
        <Form
          send={save}
          onDone={goOn}
          submitLabel="Save password"
          pendingLabel="Saving…"
          sentences={usedLinkSentences(REMEDY)}
        >
          <EmailField label="Your account" defaultValue={link.data.email} isReadOnly />
          <NewPasswordField name="newPassword" label="New password" />
          <PasskeyChoices passkeys={passkeys} />
        </Form>
      )}
    </Page>
  )
}

function UnusableLink() {
  return (
    <Page
      heading="This link doesn’t work"
      lead="It may have been used, have expired or be incomplete. A new one takes a minute."
    >
      <p>
        If you have saved a new password with it, <Link href="/sign-in">sign in</Link>.
      </p>
      <Link href="/forgot-password" className="button button-main">
        Send me a new link
      </Link>
    </Page>
  )
}
