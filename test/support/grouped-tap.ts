/**
 * What test files of a group get for `import t from 'tap'`: the test that stands for the file which runs now. Files of
 * a group run one after the other, so there is only one at a time.
 */
import root, { type Test } from 'tap'

const running: { test: Test } = { test: root }

export const startFile = (test: Test): void => {
  running.test = test
}

const current = new Proxy(root, {
  get: (_, name) => {
    const value = Reflect.get(running.test, name, running.test)
    return typeof value === 'function' ? value.bind(running.test) : value
  },
  set: (_, name, value) => Reflect.set(running.test, name, value, running.test),
})

// biome-ignore lint/style/noDefaultExport: it stands in for tap, whose `t` is its default export
export default current
