import { EmptyState } from '../../shared/components/EmptyState.tsx'
import { Filter } from '../../shared/components/Filter.tsx'
import { FramePage } from '../../shared/components/FramePage.tsx'
import { SearchField } from '../../shared/components/SearchField.tsx'
import { checkEmail } from '../../shared/forms/EmailField.tsx'
import { useAddressValues } from '../../shared/routing/address-values.ts'
import { type Email, EmailList, type EmailPage, hasQueuedEmail } from '../common/EmailList.tsx'
import { usePage } from '../common/use-page.ts'
import { TestEmail } from './TestEmail.tsx'

const STATES: Record<Email['status'], string> = {
  queued: 'Waiting',
  delayed: 'Delayed',
  sent: 'Sent',
  failed: 'Failed',
  discarded: 'Not sent',
}

export function Emails() {
  const address = useAddressValues()
  const [recipient, status] = [address.get('recipient'), address.get('status')]
  return (
    <FramePage heading="Emails" lead="What happened to each email of the last 90 days." isWide>
      <TestEmail />
      <div className="filters">
        <SearchField
          label="The whole email address"
          value={recipient}
          onSearch={(text) => address.set({ recipient: text }, true)}
        />
        <Filter label="State" options={STATES} value={status} onChange={(state) => address.set({ status: state })} />
      </div>
      {recipient === '' || checkEmail(recipient) === null ? (
        <FilteredEmails recipient={recipient} status={status} />
      ) : (
        <EmptyState title="Enter the whole email address" />
      )}
    </FramePage>
  )
}

function FilteredEmails(filter: { recipient: string; status: string }) {
  return <EmailList {...usePage<EmailPage>('list-emails', filter, hasQueuedEmail)} />
}
