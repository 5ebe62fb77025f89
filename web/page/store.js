// Keeps files in IndexedDB, so that work survives when the page is closed. Without IndexedDB, for example in a private window of some
// browsers, nothing is kept.

const FILES = 'files';

function open() {
    return new Promise((resolve, reject) => {
        const request = indexedDB.open('sinew', 1);
        request.onupgradeneeded = () => request.result.createObjectStore(FILES);
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}

export class Store {
    static async open() {
        const store = new Store();
        store.database = await open().catch(() => undefined);
        return store;
    }

    /** Returns all files as pairs of a path and bytes. */
    async all() {
        if (!this.database) return [];
        const files = this.database.transaction(FILES).objectStore(FILES);
        const result = (request) => new Promise((resolve) => {
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => resolve([]);
        });
        const [paths, bytes] = await Promise.all([result(files.getAllKeys()), result(files.getAll())]);
        return paths.map((path, index) => [path, bytes[index]]);
    }

    /** Keeps a file, or deletes it if there are no bytes. */
    set(path, bytes) {
        if (!this.database) return;
        const files = this.database.transaction(FILES, 'readwrite').objectStore(FILES);
        if (bytes) files.put(bytes, path);
        else files.delete(path);
    }
}
