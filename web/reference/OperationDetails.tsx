import { useEffect, useRef, useState } from 'react'
import { CopyLine } from './CopyLine.tsx'
import { clientLine } from './client-line.ts'
import { curlLine } from './curl-line.ts'
import { FieldList } from './FieldList.tsx'
import type { Field } from './fields.ts'
import type { Operation } from './operations.ts'

type OperationDetailsProps = { operation: Operation; baseUrl: string; isLinked: boolean }

/** A link opens the endpoint. A closed endpoint has no details in the document, because all details make it slow. */
export function OperationDetails({ operation, baseUrl, isLinked }: OperationDetailsProps) {
  const details = useRef<HTMLDetailsElement>(null)
  const [isOpen, setOpen] = useState(false)
  const { id, method, path, summary } = operation

  useEffect(() => {
    if (!isLinked || !details.current) return
    details.current.open = true
    details.current.scrollIntoView()
  }, [isLinked])

  return (
    <details
      ref={details}
      id={id}
      className="operation"
      onToggle={({ currentTarget, target }) => target === currentTarget && setOpen(currentTarget.open)}
    >
      <summary>
        <span className="operation-address">
          <code className="method">{method.toUpperCase()}</code> <code>{path}</code>
        </span>
        <span className="soft">{summary}</span>
      </summary>
      {isOpen && <OperationParts operation={operation} baseUrl={baseUrl} />}
    </details>
  )
}

function OperationParts({ operation, baseUrl }: Pick<OperationDetailsProps, 'operation' | 'baseUrl'>) {
  const inClient = clientLine(operation)
  const { id, access, inPath, query, inHeader, body, response, errors } = operation
  return (
    <div className="operation-parts">
      <p>
        {access} <a href={`#${id}`}>Link to this</a>
      </p>
      <CopyLine name="curl" line={curlLine(baseUrl, operation)} />
      {inClient && <CopyLine name="official client" line={`await ${inClient}`} />}
      <Part heading="In the path" fields={inPath} />
      <Part heading="Query" fields={query} />
      <Part heading="Body" fields={body ?? []} />
      <Part heading="Headers" fields={inHeader} />
      {response && <Response {...response} />}
      {errors.length > 0 && <Errors errors={errors} />}
    </div>
  )
}

function Part({ heading, fields }: { heading: string; fields: Field[] }) {
  if (fields.length === 0) return null
  return (
    <section>
      <h3>{heading}</h3>
      <FieldList fields={fields} isRequest />
    </section>
  )
}

function Response({ type, fields, example }: NonNullable<Operation['response']>) {
  return (
    <section>
      <h3>Response: {type}</h3>
      <FieldList fields={fields} />
      {typeof example === 'object' && example !== null && (
        <details className="example">
          <summary>Example</summary>
          <pre className="sample">{JSON.stringify(example, null, 2)}</pre>
        </details>
      )}
    </section>
  )
}

function Errors({ errors }: Pick<Operation, 'errors'>) {
  return (
    <section>
      <h3>Errors</h3>
      <ul className="schema">
        {errors.map(({ status, codes }) => (
          <li key={status}>
            <code>{status}</code> <span className="codes">{codes.join(', ')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
