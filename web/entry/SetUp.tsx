import { useLocation } from 'wouter'
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

  function goOn() {
    forgetLinkSecret()
    forgetSession()
    navigate('/account', { replace: true })
  }

  if (secret === null) return <SetUpWithoutLink />
  return (
    <Page
      heading={`Set up ${brandName}`}
      lead="This service manages the accounts of your users and organizations. You create the first account, for the administrator."
    >
      <Form
        key={secret}
        send={(value) =>
          setUp({ token: secret, name: value('name'), email: value('email'), password: value('password') })
        }
        onDone={goOn}
        submitLabel="Create administrator"
        pendingLabel="Creating…"
        sentences={usedLinkSentences('Start the service again: without an administrator, its output shows a new link.')}
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
        The link works once. If it has been used, or you can’t find it, start the service again: without an
        administrator, it prints a new one.
      </p>
    </Page>
  )
}
