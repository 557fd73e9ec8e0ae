import { queryClient } from '../api/queries.ts'
import { Form } from '../forms/Form.tsx'
import { TextArea } from '../forms/TextArea.tsx'
import { TextField } from '../forms/TextField.tsx'
import { AppNameField } from './AppNameField.tsx'
import { applicationTypeFor, checkAddresses, checkRequiredAddresses, toLines } from './addresses.ts'
import { SkipConsent } from './CreateClient.tsx'
import { type OAuthClient, updateClient } from './clients.ts'
import { isProgram, kindOf, redirectHintOf } from './kinds.ts'

/** The names of the fields are those in errors of the service. */
export function EditClient({ client }: { client: OAuthClient }) {
  const redirectHint = redirectHintOf(kindOf(client))
  // An app that registered itself has no creator, and always asks for consent.
  const canSkipConsent = client.reference_id === undefined && client.user_id !== undefined

  function save(value: (name: string) => string) {
    const one = (name: string) => value(`update.${name}`).trim() || null
    const several = (name: string) => toLines(value(`update.${name}`))
    const redirectUris = several('redirect_uris')
    const logOutUris = several('post_logout_redirect_uris')
    const formerAddresses = isProgram(client) ? [] : [...client.redirect_uris, ...client.post_logout_redirect_uris]
    return updateClient(client, {
      client_name: one('client_name'),
      client_uri: one('client_uri'),
      ...(redirectHint && {
        redirect_uris: redirectUris,
        ...applicationTypeFor([...redirectUris, ...logOutUris], formerAddresses),
        post_logout_redirect_uris: logOutUris,
        backchannel_logout_uri: one('backchannel_logout_uri'),
      }),
      ...(redirectHint && canSkipConsent && { skip_consent: one('skip_consent') === 'on' }),
    })
  }

  return (
    <Form
      send={save}
      onDone={() => queryClient.invalidateQueries()}
      doneNotice={() => 'Saved.'}
      submitLabel="Save"
      pendingLabel="Saving…"
    >
      <AppNameField name="update.client_name" defaultValue={client.client_name} />
      <TextField
        name="update.client_uri"
        label="Address of the app (optional)"
        hint="Users find it in the list of their apps."
        content="code"
        isOptional
        autoComplete="off"
        defaultValue={client.client_uri}
        check={checkAddresses}
      />
      {redirectHint && <SignInFields client={client} redirectHint={redirectHint} />}
      {redirectHint && canSkipConsent && <SkipConsent name="update.skip_consent" isChosen={client.skip_consent} />}
    </Form>
  )
}

function SignInFields({ client, redirectHint }: { client: OAuthClient; redirectHint: string }) {
  return (
    <>
      <TextArea
        name="update.redirect_uris"
        label="Redirect URIs"
        hint={redirectHint}
        rows={3}
        defaultValue={client.redirect_uris.join('\n')}
        check={client.grant_types.includes('authorization_code') ? checkRequiredAddresses : checkAddresses}
      />
      <TextArea
        name="update.post_logout_redirect_uris"
        label="Log-out redirect URIs (optional)"
        hint="Where the browser goes after a log-out that the app begins, one address a line."
        rows={2}
        defaultValue={client.post_logout_redirect_uris.join('\n')}
        check={checkAddresses}
      />
      <TextField
        name="update.backchannel_logout_uri"
        label="Back-channel log-out address (optional)"
        hint="We tell the app here when a session of one of its users ends."
        content="code"
        isOptional
        autoComplete="off"
        defaultValue={client.backchannel_logout_uri}
        check={checkAddresses}
      />
    </>
  )
}
