import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { hasCode } from '../shared/api/request-failed.ts'
import { forgetSession } from '../shared/api/tabs.ts'
import { brandName } from '../shared/brand.ts'
import { Page } from '../shared/components/Page.tsx'
import { usedLinkSentences } from '../shared/format/used-link-sentences.ts'
import { EmailField } from '../shared/forms/EmailField.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { NameField } from '../shared/forms/NameField.tsx'
import { NewPasswordField } from '../shared/forms/NewPasswordField.tsx'
import { forgetLinkSecret, useLinkSecret } from '../shared/routing/link-secret.ts'
import { setUp } from './endpoints.ts'

export function SetUp() {
  const secret = useLinkSecret()
  const [, navigate] = useLocation()
  const [isSetUp, setIsSetUp] = useState(false)

  async function createAdministrator(token: string, value: (name: string) => string) {
    try {
      await setUp({ token, name: value('name'), email: value('email'), password: value('password') })
    } catch (error) {
      setIsSetUp(hasCode(error, 'SETUP_ALREADY_DONE'))
      throw error
    }
  }

  function goOn() {
    forgetLinkSecret()
    forgetSession()
    navigate('/account', { replace: true })
  }

  if (isSetUp) return <AlreadySetUp />
  if (secret === null) return <SetUpWithoutLink />
  return (
    <Page
      heading={`Set up ${brandName}`}
      lead="This service manages the accounts of your users and organizations. You create the first account, for the administrator."
    >
      <Form
        key={secret}
        send={(value) => createAdministrator(secret, value)}
        onDone={goOn}
        submitLabel="Create administrator"
        pendingLabel="Creating…"
        sentences={usedLinkSentences('Start the service again: its output shows a new link.')}
      >
        <NameField />
        <EmailField hint="This service sends its emails here, for example when you forget your password." />
        <NewPasswordField name="password" label="Password" />
      </Form>
    </Page>
  )
}

function SetUpWithoutLink() {
  return (
    <Page
      heading={`Set up ${brandName}`}
      lead="A link that only you can see creates the first administrator. Find it in the output of the service:"
    >
      <p className="sample">…/setup#…</p>
      <p className="soft">
        The link works once. If you have used it, <Link href="/sign-in">sign in</Link>. If you can’t find it, start the
        service again: without an administrator, it prints a new one.
      </p>
    </Page>
  )
}

/** The response to an earlier request may have been lost. */
function AlreadySetUp() {
  return (
    <Page heading={`${brandName} is set up`} lead="It has an administrator already. If that is you, sign in.">
      <Link href="/sign-in" className="button button-main">
        Sign in
      </Link>
    </Page>
  )
}
