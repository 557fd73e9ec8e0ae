import type { App } from '../../server/platform/http/typed-app.ts'

type Compiler<Compiled> = (route: { schema: object; method: string; url: string }) => Compiled
type Validate = ReturnType<NonNullable<App['validatorCompiler']>>
type Serialize = ReturnType<NonNullable<App['serializerCompiler']>>

let compilers: { validator: Compiler<() => Validate>; serializer: Compiler<() => Serialize> } | undefined

/**
 * Lets the services of this process share compiled schemas, because compilation is most of the time of a start. The first
 * service compiles all schemas, as in production. Later services compile a schema at its first use. Call this before the
 * service listens.
 */
export function shareSchemas(app: App): void {
  if (!compilers) {
    app.addHook('onReady', async () => {
      const { validatorCompiler, serializerCompiler } = app
      if (!validatorCompiler || !serializerCompiler) throw new Error('The service compiled no schemas')
      compilers ??= { validator: compileOnce(validatorCompiler), serializer: compileOnce(serializerCompiler) }
    })
    return
  }
  const { validator, serializer } = compilers
  app.setValidatorCompiler((route) => {
    const compiled = validator(route)
    const validate: Validate = (data) => {
      const isValid = compiled()(data)
      validate.errors = compiled().errors ?? null
      return isValid
    }
    return validate
  })
  app.setSerializerCompiler((route) => {
    const compiled = serializer(route)
    return (data) => compiled()(data)
  })
}

function compileOnce<Compiled>(compile: Compiler<Compiled>): Compiler<() => Compiled> {
  const known = new Map<string, Compiled>()
  return (route) => {
    let compiled: Compiled | undefined
    return () => {
      if (compiled) return compiled
      const key = JSON.stringify(route.schema)
      compiled = known.get(key) ?? compile(route)
      known.set(key, compiled)
      return compiled
    }
  }
}
