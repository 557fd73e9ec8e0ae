import { ORGANIZATION_METADATA_BYTES_MAXIMUM } from '../../server/core/field-limits.ts'
import { Form } from '../shared/forms/Form.tsx'
import { TextArea } from '../shared/forms/TextArea.tsx'
import { OutdatedNotice } from './OutdatedNotice.tsx'
import type { Overview } from './queries.ts'
import { parseMetadata, updateOrganization } from './update-organization.ts'
import { useStoredText } from './use-stored-text.ts'

/** All metadata as one JSON object, which replaces the stored object. */
export function Metadata({ organization }: { organization: Overview['organization'] }) {
  const { initial, isOutdated, type, save } = useStoredText(JSON.stringify(parseMetadata(organization), null, 2))
  return (
    <>
      {isOutdated && <OutdatedNotice about="The stored metadata" />}
      <div onInput={({ target }) => target instanceof HTMLTextAreaElement && type(target.value)}>
        <Form
          send={(value) => save(() => updateOrganization(organization, { metadata: JSON.parse(value('metadata')) }))}
          doneNotice={() => 'Saved.'}
          submitLabel="Save the metadata"
          pendingLabel="Saving…"
        >
          <TextArea
            key={initial}
            name="metadata"
            label="An object in JSON, with the client code"
            hint="At most 8 KiB. It is for your services: only the client code is in tokens."
            defaultValue={initial}
            check={checkMetadata}
          />
        </Form>
      </div>
    </>
  )
}

function checkMetadata(text: string): string | null {
  if (new TextEncoder().encode(text).length > ORGANIZATION_METADATA_BYTES_MAXIMUM) return 'This is longer than 8 KiB.'
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? null
      : 'Write an object: {"name": "value"}.'
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : ''}`
  }
}
