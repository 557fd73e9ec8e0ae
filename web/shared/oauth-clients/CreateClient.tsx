import { useState } from 'react'
import { Choice } from '../forms/Choice.tsx'
import { Form } from '../forms/Form.tsx'
import { TextArea } from '../forms/TextArea.tsx'
import type { ShownOnce } from '../routing/use-shown-once.ts'
import { AppNameField } from './AppNameField.tsx'
import { applicationTypeFor, checkRequiredAddresses, toLines } from './addresses.ts'
import { createClient, type NewOAuthClient, type Owner } from './clients.ts'
import { KindChoice } from './KindChoice.tsx'
import { KINDS, type KindName, redirectHintOf } from './kinds.ts'

const SENTENCES = {
  NO_RESPONSE:
    'No response came. If the list below has the app, open it there: you can replace its secret. Otherwise connect it again.',
}

type CreateClientProps = { owner: Owner; newClient: ShownOnce<NewOAuthClient> }

export function CreateClient({ owner, newClient }: CreateClientProps) {
  const [kind, setKind] = useState<KindName>('server')
  const redirectHint = redirectHintOf(kind)

  function create(value: (name: string) => string) {
    const redirectUris = toLines(value('redirect_uris'))
    return createClient(owner, {
      ...KINDS[kind].metadata,
      client_name: value('client_name').trim(),
      ...(redirectHint && { redirect_uris: redirectUris, ...applicationTypeFor(redirectUris) }),
      ...(value('skip_consent') === 'on' && { skip_consent: true }),
    })
  }

  return (
    <Form
      send={(value) => newClient.send(() => create(value))}
      onDone={newClient.show}
      submitLabel="Connect the app"
      pendingLabel="Connecting…"
      sentences={SENTENCES}
    >
      <AppNameField name="client_name" />
      <KindChoice value={kind} onChange={setKind} />
      {redirectHint && (
        <TextArea
          name="redirect_uris"
          label="Redirect URIs"
          hint={redirectHint}
          rows={3}
          check={checkRequiredAddresses}
        />
      )}
      {redirectHint && 'ownedBy' in owner && <SkipConsent name="skip_consent" />}
    </Form>
  )
}

type SkipConsentProps = { name: string; isChosen?: boolean; onChange?: (isChosen: boolean) => void }

/** Only administrators can let an app of the service skip the consent page. */
export function SkipConsent({ name, ...choice }: SkipConsentProps) {
  return (
    <Choice type="checkbox" name={name} label="It is ours: ask users for no consent" {...choice}>
      Users go straight to it after the sign-in. Choose this only for apps that you run yourself.
    </Choice>
  )
}
