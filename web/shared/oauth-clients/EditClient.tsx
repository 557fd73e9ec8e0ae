import { refreshPages } from '../api/queries.ts'
import { Form } from '../forms/Form.tsx'
import { OutdatedNotice } from '../forms/OutdatedNotice.tsx'
import { TextArea } from '../forms/TextArea.tsx'
import { TextField } from '../forms/TextField.tsx'
import { type StoredTexts, useStoredTexts } from '../forms/use-stored-texts.ts'
import { AppNameField } from './AppNameField.tsx'
import { applicationTypeFor, checkAddresses, checkRequiredAddresses, toLines } from './addresses.ts'
import { SkipConsent } from './CreateClient.tsx'
import { type OAuthClient, updateClient } from './clients.ts'
import { isProgram, kindOf, redirectHintOf } from './kinds.ts'

type FieldName = keyof ReturnType<typeof textsOf>
type Texts = Partial<Record<FieldName, string>>

const CHANGED: Record<FieldName, string> = {
  client_name: 'The name',
  client_uri: 'The address of the app',
  redirect_uris: 'The list of redirect URIs',
  post_logout_redirect_uris: 'The list of log-out redirect URIs',
  backchannel_logout_uri: 'The back-channel log-out address',
  skip_consent: 'Whether the app asks for consent',
}

const SENTENCES = {
  METADATA_CHANGED:
    'The stored addresses have changed since this page was loaded, so nothing was saved. If your change is still right, save again.',
}

/** The names of the fields are those in errors of the service. */
export function EditClient({ client }: { client: OAuthClient }) {
  const redirectHint = redirectHintOf(kindOf(client))
  // An app that registered itself has no creator, and always asks for consent.
  const canSkipConsent = client.reference_id === undefined && client.user_id !== undefined
  const { field, outdated, save } = useStoredTexts(textsOf(client))
  const addresses = toLines(`${field('redirect_uris').value} ${field('post_logout_redirect_uris').value}`)

  /** An unchanged field is left out: another manager may have changed it. */
  async function store(changed: Texts) {
    await updateClient(client, { ...toMetadata(changed), ...newApplicationType(client, changed, addresses) })
    await refreshPages()
  }

  return (
    <Form
      send={() => save(store)}
      doneNotice={() => 'Saved.'}
      sentences={SENTENCES}
      submitLabel="Save"
      pendingLabel="Saving…"
    >
      {outdated.map((name) => (
        <OutdatedNotice key={name} about={CHANGED[name]} />
      ))}
      <AppNameField name="update.client_name" {...field('client_name')} />
      <TextField
        name="update.client_uri"
        label="Address of the app (optional)"
        hint="Users find it in the list of their apps."
        content="code"
        isOptional
        autoComplete="off"
        {...field('client_uri')}
        check={checkAddresses}
      />
      {redirectHint && <SignInFields client={client} redirectHint={redirectHint} field={field} />}
      {redirectHint && canSkipConsent && (
        <SkipConsent
          name="update.skip_consent"
          isChosen={field('skip_consent').value === 'on'}
          onChange={(isChosen) => field('skip_consent').onChange(isChosen ? 'on' : '')}
        />
      )}
    </Form>
  )
}

type SignInFieldsProps = { client: OAuthClient; redirectHint: string; field: StoredTexts<FieldName>['field'] }

function SignInFields({ client, redirectHint, field }: SignInFieldsProps) {
  return (
    <>
      <TextArea
        name="update.redirect_uris"
        label="Redirect URIs"
        hint={redirectHint}
        rows={3}
        {...field('redirect_uris')}
        check={client.grant_types.includes('authorization_code') ? checkRequiredAddresses : checkAddresses}
      />
      <TextArea
        name="update.post_logout_redirect_uris"
        label="Log-out redirect URIs (optional)"
        hint="Where the browser goes after a log-out that the app begins, one address a line."
        rows={2}
        {...field('post_logout_redirect_uris')}
        check={checkAddresses}
      />
      <TextField
        name="update.backchannel_logout_uri"
        label="Back-channel log-out address (optional)"
        hint="We tell the app here when a session of one of its users ends."
        content="code"
        isOptional
        autoComplete="off"
        {...field('backchannel_logout_uri')}
        check={checkAddresses}
      />
    </>
  )
}

function textsOf(client: OAuthClient) {
  return {
    client_name: client.client_name,
    client_uri: client.client_uri ?? '',
    redirect_uris: client.redirect_uris.join('\n'),
    post_logout_redirect_uris: client.post_logout_redirect_uris.join('\n'),
    backchannel_logout_uri: client.backchannel_logout_uri ?? '',
    skip_consent: client.skip_consent ? 'on' : '',
  }
}

function toMetadata(changed: Texts): object {
  return Object.fromEntries(Object.entries(changed).map(([name, text]) => [name, toValue(name, text)]))
}

function toValue(name: string, text: string): string[] | boolean | string | null {
  if (name.endsWith('_uris')) return toLines(text)
  return name === 'skip_consent' ? text === 'on' : text.trim() || null
}

function newApplicationType(client: OAuthClient, changed: Texts, addresses: string[]): object {
  if (changed.redirect_uris === undefined && changed.post_logout_redirect_uris === undefined) return {}
  const former = isProgram(client) ? [] : [...client.redirect_uris, ...client.post_logout_redirect_uris]
  return applicationTypeFor(addresses, former)
}
